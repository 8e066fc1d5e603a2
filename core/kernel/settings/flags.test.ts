import { describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { bootWith, type Captured, manifestOf, packOf, PROFILE, stateIn } from "../../../tests/kit/deployment.ts";
import { judgeFlags, switched, unreadFlags } from "./flags.ts";
import { readSettings } from "./settings.ts";

test.each<[string, boolean | undefined]>([
  ["ON", true],
  ["true", true],
  [" 1 ", true],
  ["Off", false],
  ["FALSE", false],
  ["0", false],
  ["yes", undefined],
  ["", undefined],
  ["constructor", undefined],
])("%p as a switch is %p", (text, means) => expect(switched(text)).toBe(means));

describe("flags", () => {
  const flagged = manifestOf({ kind: "guardrail", id: "a", flag: { env: "A_ENABLED", when: "not-off" } });
  const mapping = manifestOf({ kind: "policy", id: "b", env: { B_ENABLED: "on", B_SIZE: "size" } });

  test("are judged wherever a manifest names one; other variables are their plugin's", () => {
    expect(() => judgeFlags(flagged, { A_ENABLED: "maybe" })).toThrow("A_ENABLED=maybe is not valid: it must be ON or OFF");
    expect(() => judgeFlags(mapping, { B_ENABLED: "maybe" })).toThrow("B_ENABLED=maybe is not valid: it must be ON or OFF");
    judgeFlags(mapping, { B_ENABLED: "", B_SIZE: "maybe", A_ENABLED: "maybe" });
  });
  test("that no manifest and no profile names are unread", () => {
    const env = { A_ENABLED: "on", B_ENABLED: "off", C_ENABLED: "x", D_ENABLED: "0", E_ENABLED: " ", F: "on", enabled: "on" };
    expect(unreadFlags(env, [flagged, mapping], new Set(["D_ENABLED"]))).toEqual(["C_ENABLED"]);
    expect(unreadFlags(env, [], new Set())).toEqual(["A_ENABLED", "B_ENABLED", "C_ENABLED", "D_ENABLED"]);
  });
});

test("a switch of the environment reaches a plugin as a boolean, and a word that is none is told by its variable", async () => {
  const seen: unknown[] = [];
  const config = Type.Object({ strict: Type.Boolean({ default: true }) });
  const pack = packOf("switched", {
    config,
    setup: (_, given) => {
      seen.push(given);
      return { provides: { checks: [] } };
    },
  });
  const plugin = { ...pack, manifest: { ...pack.manifest, provides: [], env: { STRICT: "strict" } } };
  for (const word of ["OFF", "on", "0", "true"]) await (await bootWith([plugin], { settings: readSettings({ STRICT: word }) })).end();
  expect(seen).toEqual([false, true, false, true].map((strict) => ({ strict })));
  await expect(bootWith([plugin], { settings: readSettings({ STRICT: "maybe" }) })).rejects.toThrow("STRICT=maybe is not valid");
});

test("what a configuration calls secret is in no state and no line, nor the password inside it", async () => {
  const captured: Captured = { lines: [] };
  const config = Type.Object({ url: Type.String({ secret: true }) });
  const pack = packOf("leaky", {
    config,
    setup: (_, { url }) => {
      throw new Error(`cannot reach ${String(url)}, password ${new URL(String(url)).password}`);
    },
  });
  const profile = { ...PROFILE, plugins: { "guardrail/leaky": { config: { url: "db://me:canaryPassword1@host/x" } } } };
  const built = await bootWith([pack], { profile }, captured);
  expect(stateIn(built, "guardrail/leaky")?.why).toContain("cannot reach [redacted], password [redacted]");
  expect(captured.lines.join("\n")).not.toContain("canaryPassword1");
  await built.end();
});
