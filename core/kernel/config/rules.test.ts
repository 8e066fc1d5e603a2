import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { GatewayError, type Json, type Policy } from "#contract";
import { rulesOf } from "#kit";
import type { ConfigRules } from "./rules.ts";

const BREAKER: Policy = {
  obeys: {
    config: { cb_config: Type.Object({ cooldown: Type.Integer() }, { description: "Circuit breaker." }) },
    strategy: { cb_config: Type.Object({ cooldown: Type.Integer() }, { description: "Circuit breaker." }) },
  },
};
const rules: ConfigRules = rulesOf({ acme: Type.Object({ acme_region: Type.Optional(Type.String()) }) });
const withBreaker = rulesOf({}, undefined, BREAKER);
const refusal = (config: unknown, as: "written" | "saved" | "shape" = "written", of: ConfigRules = rules): string | null => {
  try {
    of.judge(config, as);
    return null;
  } catch (thrown) {
    return GatewayError.is(thrown) ? `${thrown.code} ${thrown.param}: ${thrown.message}` : String(thrown);
  }
};
const targets = (count: number, of: Json = { provider: "a" }): Json => ({ targets: Array.from({ length: count }, () => of) });

describe("a member", () => {
  test("that a plugin obeys is taken with the shape it says, and refused where the plugin is not", () => {
    for (const config of [
      { provider: "a", cb_config: { cooldown: 1 } },
      { ...targets(2), strategy: { mode: "fallback", cb_config: { cooldown: 1 } } },
    ]) {
      expect(refusal(config, "written", withBreaker)).toBeNull();
      expect(refusal(config)).toContain("a circuit breaker (kind policy) would obey it");
    }
    expect(refusal({ provider: "a", cb_config: { cooldown: "soon" } }, "written", withBreaker)).toContain("config.cb_config");
  });
  test("of a provider's target belongs to that provider, and to any where a saved one is named", () => {
    expect(refusal({ provider: "acme", acme_region: "r" })).toBeNull();
    expect(refusal({ provider: "@mine", acme_region: "r" })).toBeNull();
    expect(refusal({ provider: "acme", acme_region: 3 })).toContain("config.acme_region");
    expect(refusal({ provider: "acme", other: "r" })).toContain("config.other is no member");
  });
  test("of a name that every object has is none", () => {
    for (const name of ["constructor", "__proto__", "toString"])
      expect(refusal(JSON.parse(`{"provider":"a","${name}":{}}`))).toContain(`config.${name}`);
  });
  test("that nothing obeys does not stop a config that was saved with it, and is told of", () => {
    const config = { ...targets(1, { provider: "a", cb_config: {} }), strategy: { mode: "fallback", sticky: {} } };
    expect(refusal(config, "saved")).toBeNull();
    expect(rules.idle(config).map(({ at }) => at)).toEqual(["config.strategy.sticky", "config.targets[0].cb_config"]);
  });
  test.each<[string, unknown]>([
    ["no object", []],
    ["another shape", { retry: { attempts: "3" } }],
    ["an absent strategy", { ...targets(1), strategy: { mode: "magic" } }],
    ["too many targets", targets(101)],
  ])("a saved config of %s is refused all the same", (_, config) => expect(refusal(config, "saved")).not.toBeNull());
});

describe("a config's size is judged first", () => {
  test.each<[string, Json, string]>([
    ["101 targets", targets(101), "config.targets has 101 items, at most 100"],
    ["1001 conditional ones", { ...targets(1001), strategy: { mode: "conditional" } }, "at most 1000"],
    ["51 nested", targets(1, targets(51)), "config.targets[0].targets has 51 items, at most 50"],
    ["2001 in all", targets(41, targets(50)), "more than 2000 targets in all"],
  ])("%s", (_, config, says) => {
    expect(refusal(config, "shape")).toContain(says);
    expect(refusal(config)).toContain(says);
  });
  test("in one pass that ends where it is too large", () => {
    const wide = targets(1000, targets(300));
    const startedAt = performance.now();
    for (let round = 0; round < 1000; round += 1) refusal(wide);
    expect(performance.now() - startedAt).toBeLessThan(500);
  });
});
