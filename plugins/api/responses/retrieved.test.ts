import { describe, expect, test } from "bun:test";
import type { Json } from "#contract";
import { RETRIEVED_IN_EVENTS } from "./retrieved.ts";

const event = (data: Json): string => `data: ${JSON.stringify(data)}\n\n`;
const piece = (delta: string, item_id = "i"): string => event({ type: "response.output_text.delta", item_id, content_index: 0, delta });
const ended = (text: string): string =>
  event({ type: "response.completed", response: { output: [{ type: "message", content: [{ type: "output_text", text }] }] } });
const read = RETRIEVED_IN_EVENTS.noJson?.read ?? (() => ({ output: [] }));
async function outputOf(wire: string): Promise<readonly Json[]> {
  const { output } = (await read(wire, {} as never)) as { output: readonly Json[] };
  return output;
}

describe("the events of a response that is read again", () => {
  test.each([
    ["all of the text", piece('say "hi" ') + piece("to me"), 1],
    ["its end, for one who has its beginning", piece("to me"), 1],
    ["another text", piece("to him"), 2],
  ])("show what their pieces spell beside what the response says: %s", async (_, pieces, items) => {
    expect(await outputOf(pieces + ended('say "hi" to me'))).toHaveLength(items);
  });
  test("are compared with a long response in a moment, however many parts they have", async () => {
    const parts = Array.from({ length: 5_000 }, (_, at) => piece(`${"a".repeat(100)}b${at}`, `i${at}`)).join("");
    const startedAt = process.cpuUsage();
    expect(await outputOf(parts + ended("a".repeat(2_000_000)))).toHaveLength(5_001);
    const { user, system } = process.cpuUsage(startedAt);
    expect((user + system) / 1_000).toBeLessThan(1_000);
  }, 60_000);
});
