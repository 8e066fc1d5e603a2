/** A conversation that another provider began: what it kept in `content_blocks` is not sent on to one that refuses it. */
import { describe, expect, test } from "bun:test";
import type { Json } from "#contract";
import { ANTHROPIC, BEDROCK, CLAUDE, GEMINI, named, NOVA, sent } from "./own-wires.ts";

const hi = { role: "user", content: "Hi" };
const sentTurn = (wire: (typeof CLAUDE)[number], blocks: readonly Json[]): Json => {
  const { messages, contents } = sent(wire, { messages: [hi, { role: "assistant", content: "Yes.", content_blocks: blocks }, hi] });
  return ((contents ?? messages) as Json[])[1] ?? {};
};
const TEXT = { type: "text", text: "Yes." };
const IMAGE = { type: "image_url", image_url: { url: "data:image/png;base64,AAAA" } };
const RAN = { type: "executableCode", executableCode: { language: "PYTHON", code: "1" } };
const SEARCH = { type: "server_tool_use", id: "srv", name: "web_search", input: {} };

describe("blocks of another vendor's", () => {
  test.each(named([...CLAUDE, NOVA]))(
    "are left out for %s: code that ran at Google, an image in an answer, thoughts nobody signed",
    (_name, wire) => expect(sentTurn(wire, [{ type: "thinking", thinking: "Hm" }, RAN, IMAGE, TEXT])).toEqual(sentTurn(wire, [TEXT])),
  );
  test.each(named([BEDROCK, NOVA, ...GEMINI]))("are left out for %s: tools that Anthropic ran", (_name, wire) =>
    expect(sentTurn(wire, [SEARCH, TEXT])).toEqual(sentTurn(wire, [TEXT])),
  );
  test("are its own for the one that gave them", () => {
    expect(sentTurn(ANTHROPIC, [SEARCH, TEXT])).toEqual({ role: "assistant", content: [SEARCH, TEXT] });
    for (const [, wire] of named(GEMINI))
      expect(sentTurn(wire, [TEXT, IMAGE, RAN])).toEqual({
        role: "model",
        parts: [{ text: "Yes." }, { inlineData: { mimeType: "image/png", data: "AAAA" } }, { executableCode: RAN.executableCode }],
      });
  });
});
