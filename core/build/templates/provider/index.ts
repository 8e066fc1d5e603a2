import { Type } from "@sinclair/typebox";
import { definePlugin, isJson, type WireError } from "#contract";
import { chat } from "./chat.ts";

/** Models of Sprocket over its own wire. */
export default definePlugin({
  kind: "provider",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      target: Type.Object({}, { additionalProperties: false }),
      endpoint: ({ apiKey, customHost }) => ({
        baseUrl: customHost?.replace(/\/+$/, "") ?? "https://api.sprocket.example/v1",
        headers: apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` },
      }),
      operations: { chatComplete: chat },
      error: readError,
    },
  }),
});

/** Reads `{fault: "…"}`. */
const readError = (_status: number, body: unknown): Partial<WireError> =>
  isJson(body) && typeof body.fault === "string" ? { message: body.fault } : {};
