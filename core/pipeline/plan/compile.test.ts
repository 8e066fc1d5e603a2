import { Type } from "@sinclair/typebox";
import { expect, test } from "bun:test";
import type { Branch, Leaf } from "#contract";
import { rulesOf } from "#kit";
import { compileConfig } from "./compile.ts";

const NO_KEYS = { foundIn: () => false };
const CAPS = { root: 3, conditionalRoot: 5, nested: 2, total: 5 };
const compile = (config: unknown) =>
  compileConfig(config, rulesOf({ openai: Type.Object({ openai_organization: Type.Optional(Type.String()) }) }, CAPS), "written", NO_KEYS);

test("a config without targets is one leaf", () => {
  expect(compile({ provider: "openai", retry: { attempts: 9 } })).toMatchObject({
    kind: "leaf",
    path: "config",
    provider: "openai",
    retry: { attempts: 5 },
  });
});

test("targets inherit what is inherited, and keep their own", () => {
  const root = compile({
    strategy: { mode: "fallback" },
    retry: { attempts: 2, on_status_codes: [503] },
    override_params: { a: 1, b: 1 },
    drop_params: ["x"],
    input_guardrails: ["pg-outer"],
    targets: [
      { provider: "@one", override_params: { b: 2 }, drop_params: ["y"] },
      { virtual_key: "two", weight: 0, input_guardrails: ["pg-inner"] },
    ],
  }) as Branch;
  const [one, two] = root.targets as [Leaf, Leaf];
  expect(one).toMatchObject({
    path: "config.targets[0]",
    provider: "@one",
    weight: 1,
    retry: { attempts: 2, onStatusCodes: [503] },
    overrideParams: { a: 1, b: 2 },
    dropParams: ["x", "y"],
    inputGuardrails: ["pg-outer"],
  });
  expect(two).toMatchObject({ path: "config.targets[1]", provider: "@two", weight: 0, inputGuardrails: ["pg-inner"] });
});

test("nested strategies keep their paths", () => {
  const root = compile({
    strategy: { mode: "loadbalance" },
    targets: [{ strategy: { mode: "fallback" }, targets: [{ provider: "a" }, { provider: "b" }] }],
  }) as Branch;
  expect(root.targets[0]).toMatchObject({ kind: "branch", mode: "fallback", path: "config.targets[0]" });
  expect((root.targets[0] as Branch).targets[1]?.path).toBe("config.targets[0].targets[1]");
});

test("provider-specific members travel with the target", () => {
  expect(compile({ provider: "openai", openai_organization: "org-1" })).toMatchObject({ fields: { openai_organization: "org-1" } });
});

test.each([
  [{ options: [] }, "options"],
  [[], "object"],
  [{ targets: [] }, "targets"],
  [{ retry: { attempts: "3" } }, "retry"],
  [{ targets: [{}, {}, {}, {}] }, "at most 3"],
  [{ targets: [{ targets: [{}, {}, {}] }] }, "at most 2"],
  [{ cache: { mode: "simple", max_age: 5 } }, "cache"],
])("a config that is not right is refused with a sentence: %j", (config, says) => {
  expect(() => compile(config)).toThrow(says);
});

test("targets that take over more parameters than anybody means are refused, and quickly", () => {
  const members = Object.fromEntries(Array.from({ length: 5_000 }, (_, i) => [`p${i}`, i]));
  const targets = Array.from({ length: 50 }, () => ({ provider: "openai", override_params: { user: "u" } }));
  const whole = { root: 100, conditionalRoot: 100, nested: 100, total: 1_000 };
  const startedAt = performance.now();
  expect(() => compileConfig({ override_params: members, targets }, rulesOf({}, whole), "written", NO_KEYS)).toThrow(
    "more than 100000 parameters",
  );
  expect(performance.now() - startedAt).toBeLessThan(500);
});
