import { Type } from "@sinclair/typebox";
import { definePlugin, isJson, type Json, type StreamEvent } from "#contract";
import { SAY } from "./operation.ts";

const wordIn = (value: unknown): string => (isJson(value) && typeof value["w"] === "string" ? value["w"] : "");
/** Acme answers `{"ws": [{"w": "…"}]}`, and in a stream one `{"w": "…"}` a line; the last line is `{"n": words}`. */
const reply = (body: Json): readonly StreamEvent[] => {
  const words = Array.isArray(body["ws"]) ? body["ws"].map(wordIn) : [];
  return [
    { type: "start", model: "acme-1" },
    { type: "text", text: words.join(" ") },
    { type: "finish", reason: "stop" },
    { type: "usage", usage: { output: words.length } },
  ];
};

export default definePlugin({
  kind: "provider",
  config: Type.Object({ url: Type.String({ description: "Where Acme answers." }) }, { additionalProperties: false }),
  needs: [],
  setup: (_, { url }) => ({
    provides: {
      target: Type.Object({}),
      endpoint: ({ apiKey, customHost }) => ({ baseUrl: customHost ?? url, headers: { authorization: `Bearer ${apiKey}` } }),
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
