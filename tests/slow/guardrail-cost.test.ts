/** Three built-in checks of texts, as a guard of the design: at most 25 µs of the processor for a request of 1 KB. */
import { expect, test } from "bun:test";
import { nothingSpent } from "../../core/compute/allowance.ts";
import { guardInput } from "../../core/pipeline/guard/guard.ts";
import { checks } from "../../guardrails/default/checks/index.ts";
import { callOf } from "../kit/call.ts";
import { active, depsWith } from "../kit/guardrail.ts";

const MOST_US = 25;
const TIMES = 20_000;
const deps = depsWith(checks.flatMap((check) => (typeof check === "function" ? [] : [check])));
const call = callOf({ model: "m", messages: [{ role: "user", content: "word and more ".repeat(73) }] });
const SETS = {
  "counts and patterns": {
    "default.regexMatch": { rule: "forbidden-\\d+", not: true },
    "default.wordCount": { maxWords: 5_000 },
    "default.contains": { words: ["drop table"], operator: "none" },
  },
  "a replacement and two counts": {
    "default.regexReplace": { rule: "\\d{3}-\\d{2}-\\d{4}" },
    "default.characterCount": {},
    "default.sentenceCount": {},
  },
};

test.each(Object.entries(SETS))("%s", async (_, set) => {
  const list = active([{ ...set, deny: true }], deps);
  const view = () => ({
    provider: "p",
    model: "m",
    metadata: {},
    spending: nothingSpent(),
    tenant: "w",
    tenantIds: { organisationId: "o", workspaceId: "w" },
  });
  const round = async (): Promise<number> => {
    const before = process.cpuUsage();
    for (let at = 0; at < TIMES; at += 1) await guardInput(list, call, view(), deps);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / TIMES;
  };
  let least = Infinity;
  for (let again = 0; again < 8 && least > MOST_US; again += 1) least = Math.min(least, await round());
  expect(least).toBeLessThanOrEqual(MOST_US);
});
