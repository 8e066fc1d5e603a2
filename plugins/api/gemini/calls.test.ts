import { expect, test } from "bun:test";
import type { Json, StreamEvent } from "#contract";
import { collect } from "../../../core/pipeline/stream/fold.ts";
import { gemini } from "./dialect.ts";

const OPTIONS = { id: "r", model: "m", created: 1, usage: true, strict: true };

test("arguments that would hold up everybody else are shown as they came, whole and streamed", () => {
  const dear = `{"a":[${"{},".repeat(300_000)}{}]}`;
  const events: readonly StreamEvent[] = [
    { type: "tool", index: 0, id: "c", name: "f", arguments: dear },
    { type: "finish", reason: "tool_calls" },
  ];
  const encoder = gemini.encode(OPTIONS);
  const streamed = events.map((event) => encoder.event(event)).join("") + encoder.end();
  const parts = [{ functionCall: { id: "c", name: "f", args: { INVALID_JSON: dear } } }];
  for (const body of [gemini.write(collect(events), OPTIONS), JSON.parse(streamed.slice("data: ".length)) as Json])
    expect((body["candidates"] as { content: Json }[])[0]?.content["parts"]).toEqual(parts);
});
