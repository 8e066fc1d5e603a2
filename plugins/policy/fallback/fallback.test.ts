import { expect, test } from "bun:test";
import type { Branch, Call, Leaf, Plan, Tried } from "#contract";
import fallback from "./index.ts";

const targets = ["a", "b", "c"].map((name) => ({ kind: "leaf", name }) as Leaf); // a strategy looks at no more
/** Names of the targets tried when they answer like this, one after the other. */
async function tried(answers: readonly (number | "gateway-made 400")[], settings: object = {}): Promise<string> {
  const { provides } = await fallback.setup({ log: () => undefined, now: () => 0 }, {});
  const trial = provides.strategies?.["fallback"]?.try({ kind: "branch", targets, settings } as unknown as Branch, {} as Call, {} as Plan);
  const names: (string | null)[] = [];
  let step = await trial?.next();
  for (const answer of answers) {
    if (!step || step.done) break;
    names.push((step.value as Leaf).name);
    const how: Tried = answer === "gateway-made 400" ? { status: 400, gatewayMade: true } : { status: answer, gatewayMade: false };
    step = await trial?.next(how);
  }
  return names.join("");
}

test.each([
  ["without a list the first 2xx ends it", [200, 200, 200], {}, "a"],
  ["246 (checks failed without denying) is 2xx", [246, 200, 200], {}, "a"],
  ["without a list any other status goes on", [500, 404, 200], {}, "abc"],
  ["446 (denied by a check) goes on", [446, 200], {}, "ab"],
  ["301 is not 2xx", [301, 200], {}, "ab"],
  ["when all fail, all were tried once", [500, 500, 500, 500], {}, "abc"],
  ["with a list a listed status goes on", [429, 503, 200], { on_status_codes: [429, 503] }, "abc"],
  ["with a list an unlisted error ends it", [500, 200], { on_status_codes: [429] }, "a"],
  ["with a list a listed 2xx goes on", [246, 200], { on_status_codes: [246] }, "ab"],
  ["an empty list ends at the first answer", [500, 200], { on_status_codes: [] }, "a"],
  ["an answer the gateway made itself ends it", ["gateway-made 400", 200], {}, "a"],
  ["an answer the gateway made itself ends it though its status is listed", ["gateway-made 400", 200], { on_status_codes: [400] }, "a"],
] as const)("%s", async (_, answers, settings, expected) => expect(await tried(answers, settings)).toBe(expected));
