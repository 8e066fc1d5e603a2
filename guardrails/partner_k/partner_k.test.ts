import { describe, expect, test } from "bun:test";
import type { Segment } from "#contract";
import { testPack } from "../../tests/kit/check.ts";
import manifest from "./manifest.json";
import pack from "./index.ts";
import { type ScanScope, scannedText } from "./scanned-text.ts";

await testPack(pack, manifest);

const said = (path: string, role: Segment["role"], text: string, kind: Segment["kind"] = "text"): Segment => ({ path, role, kind, text });
const CONVERSATION: readonly Segment[] = [
  said("messages[0].content", "system", "be kind"),
  said("messages[1].content[0].text", "user", "first"),
  said("messages[1].content[1].text", "user", "second"),
  said("messages[2].content", "assistant", "answer"),
  said("messages[10].content", "tool", "tool says", "tool_result"),
];

describe("what is scanned of a request", () => {
  test.each<[ScanScope, string]>([
    ["last_message", "tool says"],
    ["last_user_message", "first\nsecond"],
    ["user_messages", "first\nsecond"],
    ["all_messages", "be kind\nfirst\nsecond\nanswer\ntool says"],
  ])("%s", (scan_scope, expected) => {
    expect(scannedText({ segments: CONVERSATION, side: "input" }, { scan_scope, strip_scaffolding: false })).toBe(expected);
  });
  test("is nothing of what agents wrap around messages, when so asked; what tools answer stays", () => {
    const wrapped = "<system-reminder>keep\nquiet</system-reminder> hello <environment_details>here</environment_details>";
    const segments = [said("messages[0].content", "user", wrapped), said("messages[1].content", "tool", wrapped, "tool_result")];
    const scanned = (strip_scaffolding: boolean) =>
      scannedText({ segments, side: "input" }, { scan_scope: "all_messages", strip_scaffolding });
    expect(scanned(true)).toBe(`hello\n${wrapped}`);
    expect(scanned(false)).toBe(`${wrapped}\n${wrapped}`);
  });
});

test("all of an answer is scanned, whatever the scope", () => {
  const segments = [said("choices[0].message.content", "assistant", "one"), said("choices[1].message.content", "assistant", "two")];
  expect(scannedText({ segments, side: "output" }, { scan_scope: "last_user_message", strip_scaffolding: false })).toBe("one\ntwo");
});
