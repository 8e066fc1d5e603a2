import { expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import { definePlugin, defineStrategy, GatewayError, type Host, type Need, type Plugin } from "#contract";
import { bootWith, type Captured, type Given, memoryRow, packOf, PROFILE, rowOf, stateIn } from "../../tests/kit/deployment.ts";
import { BootFailed } from "./building.ts";

const never = new Promise<never>(() => undefined);
const throwing = (): never => {
  throw new Error("boom");
};

const HOSTILE: readonly { what: string; plugin: Given; code: string; says: string }[] = [
  {
    what: "throws at import",
    plugin: { manifest: packOf("bad").manifest, module: throwing },
    code: "PLUGIN_SETUP",
    says: "failed in import: boom",
  },
  {
    what: "throws something that is no error",
    plugin: packOf("bad", {
      setup: () => {
        throw Object.create(null);
      },
    }),
    code: "PLUGIN_SETUP",
    says: "something that has no text",
  },
  {
    what: "never finishes its import",
    plugin: { manifest: packOf("bad").manifest, module: () => never },
    code: "PLUGIN_SETUP",
    says: "did not finish within 100 ms",
  },
  {
    what: "exports nothing",
    plugin: { manifest: packOf("bad").manifest, module: () => ({}) },
    code: "PLUGIN_SETUP",
    says: "no default export",
  },
  { what: "is of another kind", plugin: packOf("bad", { kind: "policy" }), code: "PLUGIN_SETUP", says: "of kind policy" },
  { what: "throws in setup", plugin: packOf("bad", { setup: throwing }), code: "PLUGIN_SETUP", says: "failed in setup: boom" },
  {
    what: "never finishes setup",
    plugin: packOf("bad", { setup: () => never }),
    code: "PLUGIN_SETUP",
    says: "did not finish within 100 ms",
  },
  {
    what: "returns nothing",
    plugin: packOf("bad", { setup: () => undefined as never }),
    code: "PLUGIN_SETUP",
    says: "no object with `provides`",
  },
  {
    what: "provides garbage",
    plugin: packOf("bad", { setup: () => ({ provides: { checks: 7 } }) as never }),
    code: "PLUGIN_SETUP",
    says: "`checks` must be a list",
  },
  {
    what: "provides a check under another pack's name",
    plugin: packOf("bad", { setup: () => ({ provides: { checks: [{ id: "good.always" }] } }) as never }),
    code: "PLUGIN_SETUP",
    says: "must begin with bad.",
  },
  {
    what: "provides what throws when looked at",
    plugin: packOf("bad", {
      setup: () => ({
        get provides(): never {
          return throwing();
        },
      }),
    }),
    code: "PLUGIN_SETUP",
    says: "boom",
  },
  {
    what: "never becomes ready",
    plugin: packOf("bad", { setup: async (...args) => ({ ...(await goodSetup(...args)), ready: () => never }) }),
    code: "PLUGIN_READY",
    says: "did not become ready",
  },
  {
    what: "asks for more than its manifest shows",
    plugin: packOf("bad", { needs: ["vault"] }),
    code: "PLUGIN_SETUP",
    says: "asks for vault, which its manifest does not name",
  },
  {
    what: "was made for another contract",
    plugin: { ...packOf("bad"), manifest: { ...packOf("bad").manifest, contract: "^2.0.0" } },
    code: "PLUGIN_CONTRACT",
    says: "asks for contract ^2.0.0, this gateway has 1.0.0",
  },
  {
    what: "provides other checks than its manifest says",
    plugin: { ...packOf("bad"), manifest: { ...packOf("bad").manifest, provides: ["bad.other"] } },
    code: "PLUGIN_SETUP",
    says: "bad.always, which its manifest does not name",
  },
  {
    what: "requires what is not there",
    plugin: { ...packOf("bad"), manifest: { ...packOf("bad").manifest, requires: ["policy/absent"] } },
    code: "PLUGIN_REQUIRES",
    says: "requires policy/absent, which is not installed",
  },
  {
    what: "extends what interprets nothing",
    plugin: { manifest: { kind: "guardrail", id: "bad", entry: undefined, extends: "good", declare: {} } as never },
    code: "PLUGIN_MANIFEST",
    says: "interprets nothing",
  },
];
function goodSetup(...args: Parameters<Plugin["setup"]>): ReturnType<Plugin["setup"]> {
  const exported = packOf("bad").module?.();
  return (exported as { default: Plugin }).default.setup(...args); // what packOf exports
}

for (const { what, plugin, code, says } of HOSTILE) {
  test(`a plugin that ${what} is named with ${code}, and the gateway goes on without it`, async () => {
    const captured: Captured = { lines: [] };
    const built = await bootWith([packOf("good"), plugin], {}, captured);
    const state = stateIn(built, "guardrail/bad");
    expect(state).toMatchObject({ state: "failed", code });
    expect(state?.why).toContain(says);
    expect(captured.lines.join("\n")).toContain('"plugin":"guardrail/bad"');
    expect([...built.generation.checks.keys()]).toEqual(["good.always"]);
    await built.end();
  });
}

test("a required plugin that fails ends the boot with its error, and what was open is closed", async () => {
  let closed = false;
  const pack = packOf("first", {
    setup: () => ({
      provides: { checks: [] },
      close: async () => {
        closed = true;
      },
    }),
  });
  const first = { ...pack, manifest: { ...pack.manifest, provides: [] } };
  const profile = { ...PROFILE, plugins: { "guardrail/bad": { required: true } } };
  const failure = await bootWith([first, packOf("bad", { setup: throwing })], { profile }).catch((error: unknown) => error);
  expect(failure).toBeInstanceOf(BootFailed);
  expect((failure as BootFailed).errors.map(({ code }) => code)).toEqual(["PLUGIN_SETUP"]);
  expect(closed).toBe(true);
});

test("a policy is required without the profile saying so", async () => {
  const policy: Given = { manifest: { kind: "policy", id: "door" }, module: throwing };
  await expect(bootWith([policy], { profile: { ...PROFILE, order: ["policy/door"] } })).rejects.toThrow("policy/door");
});

test("a policy that judges requests runs where the profile names it; modes of strategies serve whatever config asks for them", async () => {
  const weekend = (id: string, modes: readonly string[]): Given => ({
    manifest: { kind: "policy", id, provides: [...modes] },
    module: () => ({
      default: definePlugin({
        kind: "policy",
        config: Type.Object({}),
        needs: [],
        setup: () => ({ provides: modes.length > 0 ? { strategies: { last: same } } : { admit: () => undefined } }),
      }),
    }),
  });
  const policies = [weekend("closed", []), weekend("modes", ["last"]), weekend("named", [])];
  const built = await bootWith(policies, { profile: { ...PROFILE, plugins: { "policy/named": {} } } });
  expect(stateIn(built, "policy/closed")).toMatchObject({ state: "disabled", why: expect.stringContaining("the profile names it") });
  expect(built.generation.policies.map(({ name }) => name)).toEqual(["policy/named", "policy/modes"]);
  await built.end();
});

test("a policy with strategy modes that settles every request as well runs only where the profile names it", async () => {
  const learning: Given = {
    manifest: { kind: "policy", id: "learning", provides: ["last"] },
    module: () => ({
      default: definePlugin({
        kind: "policy",
        config: Type.Object({}),
        needs: [],
        setup: () => ({ provides: { strategies: { last: same }, settle: () => undefined } }),
      }),
    }),
  };
  const named = await bootWith([learning], { profile: { ...PROFILE, plugins: { "policy/learning": {} } } });
  expect(named.generation.policies.map(({ name }) => name)).toEqual(["policy/learning"]);
  await named.end();
  const unnamed = bootWith([learning], { profile: PROFILE });
  await expect(unnamed).rejects.toThrow(
    /policy\/learning .* it settles every request, and no profile names it; name policy\/learning under plugins or order/,
  );
});

test("a setup that ends after its time is closed", async () => {
  let finish = (): void => undefined;
  const closed = new Promise<void>((resolve) => {
    const late = packOf("late", {
      setup: () =>
        new Promise((done) => {
          finish = () => done({ provides: { checks: [] }, close: async () => resolve() });
        }),
    });
    void bootWith([late]).then(async (built) => {
      expect(stateIn(built, "guardrail/late")?.state).toBe("failed");
      finish();
      await built.end();
    });
  });
  await closed;
});

const same = defineStrategy({
  settings: Type.Object({}),
  *try({ targets }) {
    yield* targets;
  },
});

test("of two plugins with the same strategy mode the second is refused, naming both", async () => {
  const policy = (id: string): Given => ({
    manifest: { kind: "policy", id, provides: ["same"] },
    module: () => ({
      default: definePlugin({ kind: "policy", config: Type.Object({}), needs: [], setup: () => ({ provides: { strategies: { same } } }) }),
    }),
  });
  const profile = { ...PROFILE, plugins: { "policy/one": {}, "policy/two": { required: false } } };
  const built = await bootWith([policy("one"), policy("two")], { profile });
  expect(stateIn(built, "policy/two")?.why).toContain("the strategy same is already provided by policy/one");
  expect(built.generation.policies.map(({ name }) => name)).toEqual(["policy/one"]);
  await built.end();
});

test("what requires a plugin that failed fails too", async () => {
  const dependent = { ...packOf("dependent"), manifest: { ...packOf("dependent").manifest, requires: ["guardrail/bad"] } };
  const built = await bootWith([dependent, packOf("bad", { setup: throwing })]);
  expect(stateIn(built, "guardrail/dependent")).toMatchObject({ state: "failed", code: "PLUGIN_REQUIRES" });
  expect(built.generation.checks.size).toBe(0);
  await built.end();
});

test("a flag turns a plugin off, and its state says which", async () => {
  const flagged = {
    ...packOf("flagged"),
    manifest: { ...packOf("flagged").manifest, flag: { env: "FLAGGED_ENABLED", when: "not-off" as const } },
  };
  const at = async (value: string) => {
    const { readSettings } = await import("./settings/settings.ts");
    return bootWith([flagged], { settings: readSettings({ FLAGGED_ENABLED: value }) });
  };
  expect(stateIn(await at("OFF"), "guardrail/flagged")).toMatchObject({ state: "disabled", why: "FLAGGED_ENABLED is OFF" });
  expect(stateIn(await at("ON"), "guardrail/flagged")?.state).toBe("running");
  await expect(at("perhaps")).rejects.toThrow("must be ON or OFF");
});

test("configuration comes from the profile, the mapped environment and the defaults, and is judged", async () => {
  let seen: unknown;
  const config = Type.Object(
    { size: Type.Integer({ default: 3 }), url: Type.Optional(Type.String()), deep: Type.Optional(Type.Boolean()) },
    { additionalProperties: false },
  );
  const pack = packOf("configured", {
    config,
    setup: (_, given) => {
      seen = given;
      return { provides: { checks: [] } };
    },
  });
  const given = { ...pack, manifest: { ...pack.manifest, provides: [], env: { POOL_SIZE: "size" } } };
  const { readSettings } = await import("./settings/settings.ts");
  const settings = readSettings({ POOL_SIZE: "12" });
  await bootWith([given], {
    settings,
    profile: { ...PROFILE, plugins: { "guardrail/configured": { config: { url: "u", deep: "true", size: 4 } } } },
  });
  expect(seen).toEqual({ size: 12, url: "u", deep: true });

  await expect(bootWith([given], { settings: readSettings({ POOL_SIZE: "many" }) })).rejects.toThrow(
    'The setting POOL_SIZE=many is not valid: for guardrail/configured, size: it is "many"; expected integer.',
  );

  const built = await bootWith([given], { profile: { ...PROFILE, plugins: { "guardrail/configured": { config: { sise: 4 } } } } });
  expect(stateIn(built, "guardrail/configured")).toMatchObject({ code: "PLUGIN_CONFIG" });
  expect(stateIn(built, "guardrail/configured")?.why).toContain("sise: there is no such member; known are size, url, deep");
});

test("a host has the handles that were asked for and no others", async () => {
  let host: Host<Need> | undefined;
  const pack = packOf("asking", {
    needs: ["vault", "net:api.acme.example"],
    setup: (given) => {
      host = given;
      return { provides: { checks: [] } };
    },
  });
  await bootWith([{ ...pack, manifest: { ...pack.manifest, provides: [], needs: ["vault", "net:api.acme.example", "records"] } }]);
  expect(Object.keys(host ?? {}).sort()).toEqual(["fetch", "log", "now", "resolve", "vault"]);
  const { fetch, resolve } = host as Host<"net:api.acme.example">;
  await expect(resolve("other.example")).rejects.toMatchObject({ code: "HOST_NOT_DECLARED" });
  await expect(resolve("api.acme.example")).rejects.toThrow("no network in this test");
  await expect(fetch("https://other.example/")).rejects.toMatchObject({ code: "HOST_NOT_DECLARED" });
  await expect(fetch("https://api.acme.example/")).rejects.toThrow("no network in this test");
});

test("a gateway without storage says which handles are missing", async () => {
  const profile = { ...PROFILE, plugins: { "storage/memory": { enabled: false } } };
  await expect(bootWith([], { profile })).rejects.toThrow("a storage plugin that provides records, logs, counters, kv, feed");
});

test("a storage that adds nothing to an earlier one is not opened", async () => {
  const spare: Given = { manifest: { kind: "storage", id: "spare", provides: ["kv"] }, module: throwing };
  const built = await bootWith([spare]);
  expect(stateIn(built, "storage/spare")).toMatchObject({ state: "disabled", why: "what it provides is served by storage/memory" });
  await built.end();
});

test("a manifest that names itself twice is reported with both files", async () => {
  const twin = rowOf(packOf("twin"));
  const built = await bootWith([twin, { ...twin, file: "elsewhere/manifest.json" }, memoryRow]);
  expect(built.generation.unreadable.map(({ why }) => why).join("\n")).toContain(
    "guardrail/twin is already the name of guardrail/twin/manifest.json",
  );
  await built.end();
});

test("a plugin that reaches for records it did not declare is told so", async () => {
  const { Workspaces } = await import("#contract");
  let reach: unknown;
  const pack = packOf("reaching", {
    needs: ["records"],
    setup: (host) => {
      try {
        (host as Host<"records">).records.in(Workspaces);
      } catch (error) {
        reach = error;
      }
      return { provides: { checks: [] } };
    },
  });
  await bootWith([{ ...pack, manifest: { ...pack.manifest, provides: [], needs: ["records"] } }]);
  expect(GatewayError.is(reach) && reach.message).toContain("workspaces");
});
