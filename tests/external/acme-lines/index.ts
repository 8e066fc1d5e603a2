import { Type } from "@sinclair/typebox";
import { defineAdapter, definePlugin, type Frame, isJson, type Json, type StreamEvent, UpstreamFailure } from "#contract";

/** One value a line: `{"text":"…"}` as often as it takes, then `{"done":true,"in":1,"out":2}`. A whole answer has all of it in one. */
function eventsOf(line: Json): readonly StreamEvent[] {
  if (typeof line.fault === "string")
    throw new UpstreamFailure(429, { message: line.fault, type: "rate_limit_error", param: null, code: null });
  if (line.done === true)
    return [
      { type: "usage", usage: { input: Number(line.in), output: Number(line.out) } },
      { type: "finish", reason: "stop" },
    ];
  return typeof line.text === "string" ? [{ type: "text", text: line.text }] : [];
}

const chat = defineAdapter({
  path: "/generate",
  frames: "json-lines",
  stream: { start: () => undefined, event: ({ data }: Frame) => eventsOf(JSON.parse(data) as Json) },
  reply: ({ answer, ...end }: Json) => [{ type: "text", text: String(answer) }, ...eventsOf(end)],
});

/** Models of Acme over lines of JSON. */
export default definePlugin({
  kind: "provider",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      target: Type.Object({}, { additionalProperties: false }),
      endpoint: ({ apiKey, customHost }) => ({
        baseUrl: customHost?.replace(/\/+$/, "") ?? "https://api.acme-lines.example/v1",
        headers: apiKey === "" ? {} : { authorization: `Bearer ${apiKey}` },
      }),
      operations: { chatComplete: chat },
      error: (_status, body) => (isJson(body) && typeof body.fault === "string" ? { message: body.fault } : {}),
    },
  }),
});
