import { expect, test } from "bun:test";
import type { Branch, Call, Leaf, Plan } from "#contract";
import single from "./index.ts";

test("the first target answers, whatever it says", async () => {
  const targets = ["a", "b"].map((name) => ({ kind: "leaf", name }) as Leaf); // a strategy looks at no more
  const { provides } = await single.setup({ log: () => undefined, now: () => 0 }, {});
  const trial = provides.strategies?.["single"]?.try(
    { kind: "branch", targets, settings: {} } as unknown as Branch,
    {} as Call,
    {} as Plan,
  );
  expect((await trial?.next())?.value).toBe(targets[0]);
  expect((await trial?.next({ status: 500, gatewayMade: false }))?.done).toBe(true);
});
