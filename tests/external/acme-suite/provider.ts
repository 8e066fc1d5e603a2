import { Type } from "@sinclair/typebox";
import { definePlugin, isJson, type Json, type StreamEvent, UpstreamFailure } from "#contract";
import { SAY } from "./operation.ts";

/** Acme says that it is busy in a word. */
function wordIn(value: unknown): string {
  const word = isJson(value) && typeof value["w"] === "string" ? value["w"] : "";
  if (word !== "busy") return word;
  throw new UpstreamFailure(429, { message: "Acme is busy.", type: "rate_limit_error", param: null, code: "acme_busy" });
}
/** Acme answers `{"ws": [{"w": "…"}]}`, and in a stream one `{"w": "…"}` a line; the last line is `{"n": words}`. Asked quietly, it does not count. */
const reply = (body: Json): readonly StreamEvent[] => {
  const words = Array.isArray(body["ws"]) ? body["ws"].map(wordIn) : [];
  return [
    { type: "start", model: "acme-1" },
    { type: "text", text: words.join(" ") },
    { type: "finish", reason: "stop" },
    ...(body["quiet"] === true ? [] : [{ type: "usage", usage: { output: words.length } } as const]),
  ];
};

export default definePlugin({
  kind: "provider",
  config: Type.Object({ url: Type.String({ description: "Where Acme answers." }) }, { additionalProperties: false }),
  needs: [],
  setup: (_, { url }) => ({
    provides: {
      target: Type.Object({}),
      endpoint: ({ apiKey, customHost }) => ({
        baseUrl: (customHost ?? url).replace(/\/$/, ""),
        headers: apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` },
      }),
      operations: {
        [SAY.id]: {
          path: "/speak",
          frames: "json-lines",
          request: (body) => ({ t: body["text"], live: body["stream"] === true }),
          reply,
          stream: {
            start: () => null,
            event({ data }) {
              const line: unknown = JSON.parse(data);
              if (isJson(line) && typeof line["n"] === "number")
                return [
                  { type: "finish", reason: "stop" },
                  { type: "usage", usage: { output: line["n"] } },
                ];
              return [{ type: "text", text: `${wordIn(line)} ` }];
            },
          },
        },
      },
    },
  }),
});
