/** What is looked up for a caller's requests is kept, and never used beyond a change of what was looked up. */
import { describe, expect, test } from "bun:test";
import {
  BLANK_INTEGRATION,
  BLANK_WORKSPACE,
  type Call,
  type Caller,
  Configs,
  Guardrails,
  Integrations,
  IntegrationWorkspaces,
  type Json,
  Organisations,
  Providers,
  type RecordsHandle,
  Workspaces,
} from "#contract";
import { CALLERS, ORGANISATION, rulesOf, WORKSPACE } from "#kit";
import { shareRecords } from "../../kernel/records/records.ts";
import { fakeHost } from "../../../tests/kit/host.ts";
import { depsWith, madeCheck, savedGuardrail } from "../../../tests/kit/guardrail.ts";
import { verifies } from "../../../tests/requirements/verifies.ts";
import { type Prepare, type Prepared, preparer } from "./prepare.ts";

const COLLECTIONS = [Configs, Organisations, Workspaces, Providers, Integrations, IntegrationWorkspaces, Guardrails];
const stamps = { created_at: 0, last_updated_at: 0 };
const idOf = (n: number): string => `33333333-3333-4333-8333-${String(n).padStart(12, "0")}`;
const ofWorkspace = { ...stamps, organisation_id: ORGANISATION.ours, workspace_id: WORKSPACE.ours };
const written = { owner_id: idOf(90), updated_by: null };
const config = (value: Json) => ({
  ...{ ...ofWorkspace, ...written, id: idOf(1), name: "c", slug: "pc-1", status: "active" as const, is_default: 0 },
  ...{ version_id: idOf(91), config: value },
});
const workspace = {
  ...stamps,
  id: WORKSPACE.ours,
  organisation_id: ORGANISATION.ours,
  name: "w",
  slug: "w",
  ...BLANK_WORKSPACE,
};
const integration = {
  ...{ ...stamps, id: idOf(2), organisation_id: ORGANISATION.ours, workspace_id: null, owner_id: idOf(90), name: "i", slug: "i" },
  ...{
    ai_provider_id: "openai",
    description: null,
    status: "active" as const,
    key_sealed: "first",
    masked_key: "f",
    ...BLANK_INTEGRATION,
    configurations: {},
    tags: {},
  },
};
const provider = {
  ...{ ...ofWorkspace, id: idOf(3), name: "p", slug: "acme", integration_id: idOf(2), note: null, status: "active" as const },
  ...{ expires_at: null, rate_limits: [], usage_limits: null, tags: {} },
};
const guardrail = {
  ...savedGuardrail({ id: idOf(4), checks: [{ id: "test.allow" }] }),
  ...{ organisation_id: ORGANISATION.ours, workspace_id: WORKSPACE.ours, owner_id: idOf(90), version_id: idOf(92) },
};

/** A preparer over records in memory; counts the look-ups that are made. */
async function setting() {
  const { storage } = await fakeHost([], { collections: COLLECTIONS });
  const { records: store, feed } = storage;
  if (!store || !feed) throw new Error("memory storage has both");
  const shared = await shareRecords({ store, feed, collections: COLLECTIONS, log: () => undefined });
  const records = shared.handle("test", COLLECTIONS);
  const state = { lookUps: 0 };
  const counted: RecordsHandle = {
    ...records,
    lookup: (collection, by, map) => {
      const find = records.lookup(collection, by, map);
      return (...values) => {
        state.lookUps += 1;
        return find(...values);
      };
    },
  };
  const { checks, plugins, vault, headers } = depsWith([madeCheck("allow", () => ({ verdict: "allow" }))]);
  const stores = { ...storage, records: counted, epoch: shared.epoch } as unknown as Parameters<typeof preparer>[0]["stores"]; // no more is used
  const gen = {
    stores,
    config: rulesOf(),
    vault: vault as Parameters<typeof preparer>[0]["vault"],
    checks,
    plugins,
    readReference: () => expect.unreachable(),
    oauth: { token: () => expect.unreachable(), renewed: () => expect.unreachable() },
  };
  const prepare = preparer(gen, { headers, ownKeys: { foundIn: () => false } });
  await records.in(Configs).insert(config({ provider: "@acme", input_guardrails: ["pg-1"] }));
  await records.in(Workspaces).insert(workspace);
  await records.in(Integrations).insert(integration);
  await records.in(Providers).insert(provider);
  await records.in(Guardrails).insert(guardrail);
  return { prepare, records, state, checks };
}

const callWith = (control: Partial<Call["control"]> = {}): Call => ({ control: { rest: {}, ...control } }) as Call; // preparing looks at no more
const caller: Caller = { ...CALLERS.workspace, configId: "pc-1" };

/** All that may be asked of it. */
async function everything(prepare: Prepare, who = caller, call = callWith()): Promise<{ ready: Prepared; says: Json }> {
  const ready = await prepare(call, who);
  const { root } = ready;
  if (root.kind !== "leaf") throw new Error("the config has one target");
  const saved = await ready.provider("@acme");
  const guardrails = await ready.guardrails(root.inputGuardrails);
  const says = {
    strict: root.strict,
    metadata: ready.metadata,
    key: saved.saved.apiKey,
    slug: saved.slug,
    ids: guardrails.map(({ id, deny }) => `${id} ${deny}`),
  };
  return { ready, says };
}

describe("what is prepared for a caller", () => {
  test("is looked up once; a warm request looks up nothing, and waits for nothing", async () => {
    const { prepare, state } = await setting();
    const { ready, says } = await everything(prepare);
    expect(says).toEqual({ strict: null, metadata: {}, key: "first", slug: "@acme", ids: ["pg-1 true"] });
    state.lookUps = 0;
    expect(prepare(callWith(), caller)).toBe(ready);
    expect(ready.provider("@acme")).toMatchObject({ id: "openai" });
    expect((await everything(prepare)).says).toEqual(says);
    expect(state.lookUps).toBe(0);
  });
  test(
    verifies("I.warm", "knows which models and workspaces are granted: a warm request asks nothing, and a change is heard of at once"),
    async () => {
      const { prepare, records, state } = await setting();
      await records.in(Integrations).update(idOf(2), { allow_all_models: false, global_workspace_access: { enabled: false } });
      const grant = { ...ofWorkspace, id: idOf(5), integration_id: idOf(2), enabled: true };
      await records.in(IntegrationWorkspaces).insert({ ...grant, usage_limits: null, rate_limits: null, last_reset_at: null });
      await everything(prepare);
      state.lookUps = 0;
      expect((await prepare(callWith(), caller)).provider("@acme")).toMatchObject({ saved: { models: { others: false } } });
      expect(state.lookUps).toBe(0);
      await records.in(IntegrationWorkspaces).update(idOf(5), { enabled: false });
      await expect(everything(prepare)).rejects.toMatchObject({ code: "PROVIDER_WITHHELD" });
    },
  );
  test("is kept for a config that is written out, too, and for none", async () => {
    const { prepare, state } = await setting();
    const nameless = { ...caller, configId: null };
    for (const call of [callWith({ config: '{"provider":"openai"}' }), callWith()]) {
      const ready = await prepare(call, nameless);
      state.lookUps = 0;
      expect(prepare(call, nameless)).toBe(ready);
      expect(state.lookUps).toBe(0);
    }
  });
  test("is each caller's own, and each config's", async () => {
    const { prepare } = await setting();
    const { ready } = await everything(prepare);
    expect(await prepare(callWith(), { ...caller })).not.toBe(ready);
    expect(await prepare(callWith({ config: '{"provider":"openai"}' }), caller)).not.toBe(ready);
    await expect(everything(prepare, { ...CALLERS.second, configId: "pc-1" })).rejects.toMatchObject({ code: "CONFIG_UNKNOWN" });
  });
  test.each<[string, (records: RecordsHandle) => Promise<unknown>, Json]>([
    [
      "config",
      (records) =>
        records
          .in(Configs)
          .update(idOf(1), { config: { provider: "@acme", input_guardrails: ["pg-1"], strict_open_ai_compliance: false } }),
      { strict: false },
    ],
    [
      "workspace",
      (records) => records.in(Workspaces).update(WORKSPACE.ours, { defaults: { metadata: { team: "a" } } }),
      { metadata: { team: "a" } },
    ],
    ["integration", (records) => records.in(Integrations).update(idOf(2), { key_sealed: "second" }), { key: "second" }],
    [
      "guardrail",
      (records) => records.in(Guardrails).update(idOf(4), { actions: { ...guardrail.actions, deny: false } }),
      { ids: ["pg-1 false"] },
    ],
  ])("is looked up again when its %s has changed", async (_, change, changed) => {
    const { prepare, records } = await setting();
    const before = await everything(prepare);
    await change(records);
    const after = await everything(prepare);
    expect(after.says).toEqual({ ...before.says, ...changed });
    expect((await everything(prepare)).ready).toBe(after.ready);
  });
  test(verifies("G.defaults.excluded", "has the organisation's guardrails last, unless its workspace is excluded from them"), async () => {
    const { prepare, records } = await setting();
    const settings = (excluded: readonly string[]) => ({
      defaults: { input_guardrails: ["pg-all", "pg-1"], output_guardrails: ["pg-all"] },
      guardrail_exclusions: { input: excluded, output: [] },
    });
    const organisation = { ...stamps, id: ORGANISATION.ours, name: "o", settings: settings([]) };
    await records.in(Organisations).insert(organisation);
    const lists = async () => {
      const { root } = await prepare(callWith(), caller);
      return root.kind === "leaf" ? [root.inputGuardrails, root.outputGuardrails] : [];
    };
    expect(await lists()).toEqual([["pg-all", "pg-1"], ["pg-all"]]);
    await records.in(Organisations).update(ORGANISATION.ours, { settings: settings([WORKSPACE.ours]) });
    expect(await lists()).toEqual([["pg-1"], ["pg-all"]]);
    await records.in(Organisations).update(ORGANISATION.ours, { settings: settings([WORKSPACE.second]) });
    expect(await lists()).toEqual([["pg-all", "pg-1"], ["pg-all"]]);
  });
  test("says that a provider is gone as soon as it is", async () => {
    const { prepare, records } = await setting();
    await everything(prepare);
    await records.in(Providers).remove(idOf(3));
    await expect(everything(prepare)).rejects.toMatchObject({ code: "PROVIDER_UNKNOWN" });
  });
  test("is not kept where a record changed while it was looked up", async () => {
    const { prepare, records } = await setting();
    const looking = prepare(callWith(), caller);
    await records.in(Workspaces).update(WORKSPACE.ours, { defaults: { metadata: { team: "b" } } });
    await looking;
    expect((await everything(prepare)).says["metadata"]).toEqual({ team: "b" });
  });
});
