import { expect, test } from "bun:test";
import type { Branch, Manifest } from "#contract";
import { leafOf, testPolicy, trials } from "#kit";
import plugin from "./index.ts";
import manifest from "./manifest.json";

testPolicy({ plugin, manifest: manifest as Manifest });

test("the last target is tried first, and a failure goes on to the one before it", async () => {
  const { provides } = await plugin.setup({ log: () => undefined, now: () => 0 }, {});
  const strategy = provides.strategies?.["sprocket"] ?? expect.unreachable();
  const node: Branch = {
    kind: "branch",
    path: "config",
    name: null,
    weight: 1,
    members: {},
    mode: "sprocket",
    settings: {},
    targets: ["a", "b", "c"].map((name) => leafOf({ name })),
  };
  const tried = await trials(strategy, node, ({ name }) => ({ status: name === "b" ? 200 : 500, gatewayMade: false }));
  expect(tried.map(({ name }) => name)).toEqual(["c", "b"]);
});
