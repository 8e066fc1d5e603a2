import { describe, expect, test } from "bun:test";
import { definePlugin, type SecretSource } from "#contract";
import { Type } from "@sinclair/typebox";
import { bootWith, type Captured, type Given, manifestOf, packOf, PROFILE, stateIn } from "../../../tests/kit/deployment.ts";
import { until } from "../../../tests/e2e/process.ts";
import { madeCheck } from "../../../tests/kit/guardrail.ts";
import { active, depsWith } from "../../../tests/kit/guardrail.ts";
import { nothingSpent } from "../../compute/allowance.ts";
import { guardInput } from "../../pipeline/guard/guard.ts";
import { secretsNotSet } from "./missing-secrets.ts";
import { deploymentOf } from "../discovery/deployment.ts";
import { rowOf } from "../../../tests/kit/deployment.ts";
import { callOf } from "../../../tests/kit/call.ts";

const source = (scheme: string, read: SecretSource["read"]): Given => ({
  manifest: { kind: "secret", id: scheme },
  module: () => ({
    default: definePlugin({ kind: "secret", config: Type.Object({}), needs: [], setup: () => ({ provides: { scheme, read } }) }),
  }),
});
/** A pack whose one check reads its key each time, as a check that calls a service does. */
const keyed: Given = {
  manifest: { kind: "guardrail", id: "keyed", provides: ["keyed.scan"], needs: ["secret:ACME_KEY"] },
  module: () => ({
    default: definePlugin({
      kind: "guardrail",
      config: Type.Object({}),
      needs: ["secret:ACME_KEY"],
      setup: ({ secrets }) => ({
        provides: {
          checks: [
            {
              ...madeCheck("scan", async () =>
                (await secrets.read("ACME_KEY")) === "right" ? { verdict: "allow" } : { verdict: "deny", reason: "wrong" },
              ),
              id: "keyed.scan",
            },
          ],
        },
      }),
    }),
  }),
};
const at = (place: string) => ({ ...PROFILE, secrets: { ACME_KEY: place } });

/** Every way in which a secret can be missing. */
const MISSING: readonly { readonly how: string; readonly place: string; readonly read: SecretSource["read"]; readonly says: string }[] = [
  { how: "is not set", place: "env:ACME_KEY", read: async () => undefined, says: "set the environment variable ACME_KEY" },
  { how: "is empty", place: "env:ACME_KEY", read: async () => "", says: "set the environment variable ACME_KEY" },
  { how: "is blank", place: "env:ACME_KEY", read: async () => " \n", says: "set the environment variable ACME_KEY" },
  {
    how: "is not where the profile says",
    place: "env:ELSEWHERE",
    read: async () => undefined,
    says: "set the environment variable ELSEWHERE",
  },
  { how: "lies where nobody reads", place: "vault:acme", read: async () => "right", says: "no running secret plugin reads vault:acme" },
  { how: "lies at no place at all", place: "acme", read: async () => "right", says: "no running secret plugin reads acme" },
  {
    how: "cannot be read",
    place: "env:ACME_KEY",
    read: () => Promise.reject(new Error("EACCES canaryPassword1")),
    says: "env:ACME_KEY could not be read",
  },
];

describe.each(MISSING)("a secret that $how", ({ place, read, says }) => {
  const booted = (captured?: Captured) => bootWith([source("env", read), keyed], { profile: at(place) }, captured);
  const judged = async (deny: boolean) => {
    const built = await booted();
    const { checks, plugins } = built.generation;
    const deps = depsWith([], { checks, plugins });
    const [guardrail] = active([{ "keyed.scan": {}, deny }], deps);
    const outcome = await guardInput(
      guardrail ? [guardrail] : [],
      callOf({ model: "m", messages: [{ role: "user", content: "x" }] }),
      {
        provider: "p",
        model: "m",
        metadata: {},
        spending: nothingSpent(),
        tenant: "tenant",
        tenantIds: { organisationId: "organisation", workspaceId: "tenant" },
      },
      deps,
    );
    await built.end();
    return outcome;
  };
  test("is an error of class auth, and closes a guardrail that denies", async () => {
    const { denied, results } = await judged(true);
    expect(denied).toBe(true);
    expect(results[0]?.checks[0]?.error).toMatchObject({ name: "Authentication error", message: expect.stringContaining("ACME_KEY") });
    expect(JSON.stringify(results)).not.toContain("canaryPassword1");
    expect((await judged(false)).denied).toBe(false);
  });
  test("is said before any request: by the plugin's state, its health and the log", async () => {
    const captured: Captured = { lines: [] };
    const built = await booted(captured);
    const sentence = expect.stringMatching(new RegExp(`The secret ACME_KEY is missing: ${says}.*stays shut`));
    expect(stateIn(built, "guardrail/keyed")).toMatchObject({ state: "running", why: sentence });
    expect(built.generation.health().get("guardrail/keyed")?.lacking).toEqual([sentence]);
    expect(captured.lines.filter((line) => line.includes('"event":"secret.missing"')).length).toBe(1);
    await built.end();
  });
});

test("a secret that appears is used at once, and no longer missed once somebody has looked again; one that goes is missed", async () => {
  let secret: string | undefined;
  let now = 0;
  const built = await bootWith([source("env", async () => secret), keyed], { now: () => now });
  const lacking = () => built.generation.health().get("guardrail/keyed")?.lacking ?? [];
  expect(lacking().length).toBe(1);
  secret = "right";
  now += 60_000;
  await until("somebody has looked again", () => lacking().length === 0);
  expect(stateIn(built, "guardrail/keyed")?.why).toBeNull();
  const check = built.generation.checks.get("keyed.scan")?.check;
  expect(await check?.run({} as never)).toEqual({ verdict: "allow" }); // it looks at nothing
  secret = undefined;
  await expect(Promise.resolve(check?.run({} as never))).rejects.toMatchObject({ code: "SECRET_MISSING" }); // what the test reads of it
  expect(lacking().length).toBe(1);
  await built.end();
});
test("a source that is silent has none to give", async () => {
  const built = await bootWith([source("env", () => new Promise(() => undefined)), keyed]);
  expect(stateIn(built, "guardrail/keyed")?.why).toContain("env:ACME_KEY could not be read");
  await built.end();
}, 10_000);
test("a provider's own secret is one way among others: it is not missed before it is asked for", async () => {
  const provider = manifestOf({ kind: "provider", id: "p", needs: ["secret:OWN_KEY"] });
  const { plugins } = await deploymentOf(PROFILE, [rowOf({ manifest: provider }), rowOf(source("env", async () => undefined))], {});
  expect(plugins.flatMap((candidate) => secretsNotSet(candidate, plugins, PROFILE, {}))).toEqual([]);
});

describe("without running any code", () => {
  const notSet = async (place: string, env: Record<string, string>) => {
    const { plugins } = await deploymentOf(
      at(place),
      [rowOf(source("env", async () => undefined)), rowOf(keyed), rowOf(packOf("other"))],
      env,
    );
    return plugins.flatMap((candidate) => secretsNotSet(candidate, plugins, at(place), env));
  };
  test.each([
    ["env:ACME_KEY", {}, "set the environment variable ACME_KEY"],
    ["env:ACME_KEY", { ACME_KEY: " " }, "set the environment variable ACME_KEY"],
    ["env:ELSEWHERE", { ACME_KEY: "x" }, "set the environment variable ELSEWHERE"],
    ["vault:acme", { ACME_KEY: "x" }, "no running secret plugin reads vault:acme"],
  ])("a secret at %s with %j is missed", async (place, env, says) => {
    expect(await notSet(place, env)).toEqual([expect.stringContaining(says)]);
  });
  test("one that is set is not", async () => expect(await notSet("env:ELSEWHERE", { ELSEWHERE: "x" })).toEqual([]));
});
