/** Whatever a key does, no key comes of it that may do more, and none that might is touched. */
import { describe, expect, test } from "bun:test";
import {
  ApiKeys,
  CallerRateLimits,
  type Caller,
  Configs,
  expandedScopes,
  type Json,
  type KeyType,
  mayHold,
  type RecordOf,
  SCOPES,
  scopesOf,
  NO_ROTATION,
} from "#contract";
import { ORGANISATION, tenants, WORKSPACE, USER } from "../../../tests/kit/tenants.ts";
import { apiKeys } from "./resource.ts";

type Key = RecordOf<typeof ApiKeys>;
const KINDS: readonly KeyType[] = ["organisation-service", "workspace-service", "workspace-user"];
const MANAGING = ["create", "read", "update", "delete", "list"].flatMap((action) =>
  KINDS.map((kind) => `${kind.replace("-", "_")}_api_keys.${action}`),
);

const keyOf = (more: Partial<Key>): Key => ({
  id: crypto.randomUUID(),
  created_at: 0,
  last_updated_at: 0,
  organisation_id: ORGANISATION.ours,
  workspace_id: more.type === "organisation-service" ? null : WORKSPACE.ours,
  user_id: null,
  created_by: crypto.randomUUID(),
  type: "workspace-service",
  creation_mode: "api",
  name: "k",
  description: null,
  digest: crypto.randomUUID(),
  masked_key: "",
  status: "active",
  scopes: ["completions.write"],
  rate_limits: [],
  usage_limits: null,
  defaults: {},
  alert_emails: [],
  expires_at: null,
  ...NO_ROTATION,
  ...more,
});
/** As the key policy would identify it. */
const callerOf = (key: Key): Caller => ({
  organisationId: key.organisation_id,
  workspaceId: key.workspace_id,
  keyId: key.id,
  keyName: key.name,
  keyType: key.type,
  userId: key.user_id,
  scopes: expandedScopes(key.scopes, key.type),
  metadata: (key.defaults["metadata"] ?? {}) as Caller["metadata"], // what these tests put there
  configId: typeof key.defaults["config_id"] === "string" ? key.defaults["config_id"] : null,
  allowConfigOverride: key.defaults["allow_config_override"] !== false,
  terms: CallerRateLimits.saying(key.rate_limits),
});

async function world() {
  const kit = await tenants([ApiKeys, Configs]);
  const keys = kit.handles.records.in(ApiKeys);
  for (const slug of ["pc-one", "pc-two"])
    await kit.handles.records.in(Configs).insert({
      ...{ id: crypto.randomUUID(), created_at: 0, last_updated_at: 0, organisation_id: ORGANISATION.ours, workspace_id: WORKSPACE.ours },
      ...{ owner_id: crypto.randomUUID(), updated_by: null, name: slug, slug, status: "active", is_default: 0 },
      ...{ version_id: crypto.randomUUID(), config: {} },
    });
  const put = async (more: Partial<Key>): Promise<Key> => {
    const key = keyOf(more);
    await keys.insert(key);
    return key;
  };
  const ask = (as: Key, method: string, path: string, body?: Json) => kit.ask(apiKeys, method, `/api-keys${path}`, callerOf(as), body);
  const all = async (): Promise<readonly Key[]> => (await keys.list({ limit: 1_000, offset: 0 })).data;
  return { put, ask, all, get: (id: string) => keys.get(id) };
}
const WIDE = { error: { code: "AB03", message: expect.stringContaining("may do more than itself") } };

describe("a wider key", () => {
  const manager = { scopes: [...MANAGING.filter((scope) => scope.startsWith("workspace")), "completions.write"] };
  test.each<[string, Partial<Key>, Partial<Key>]>([
    ["in scopes", {}, { scopes: [...scopesOf("workspace-service")] }],
    ["in one scope", {}, { scopes: ["completions.write", "configs.read"] }],
    ["by a scope that stands for many", {}, { scopes: ["data_plane.*"] }],
    ["by having no rate limit", { rate_limits: [{ type: "requests", unit: "rpm", value: 2 }] }, {}],
    [
      "by another unit's limit",
      { rate_limits: [{ type: "requests", unit: "rpm", value: 2 }] },
      { rate_limits: [{ type: "requests", unit: "rph", value: 1 }] },
    ],
    ["by its budget", { usage_limits: { credit_limit: 5 } }, { usage_limits: { credit_limit: 6 } }],
    ["by a budget that comes back", { usage_limits: { credit_limit: 5 } }, { usage_limits: { credit_limit: 5, periodic_reset: "weekly" } }],
    ["by not being pinned", { defaults: { config_id: "pc-one", allow_config_override: false } }, { defaults: { config_id: "pc-one" } }],
    ["by bearing no label of metadata", { defaults: { metadata: { team: "a" } } }, {}],
    ["by another label", { defaults: { metadata: { team: "a" } } }, { defaults: { metadata: { team: "b", tier: "x" } } }],
  ])("%s is neither edited nor deleted", async (_, mine, theirs) => {
    const { put, ask, get } = await world();
    const maker = await put({ ...manager, ...mine });
    const victim = await put(theirs);
    for (const body of [{ name: "taken" }, { scopes: ["completions.write"] }, { rate_limits: [{ value: 0 }] }])
      expect(await ask(maker, "PUT", `/${victim.id}`, body)).toMatchObject({ status: 403, body: WIDE });
    expect(await ask(maker, "DELETE", `/${victim.id}`)).toMatchObject({ status: 403, body: WIDE });
    expect(await get(victim.id)).toEqual(victim);
  });
  test("is one's own to edit and to delete", async () => {
    const { put, ask } = await world();
    const maker = await put({ ...manager, rate_limits: [{ type: "tokens", unit: "rpd", value: 5 }] });
    expect((await ask(maker, "PUT", `/${maker.id}`, { name: "mine" })).status).toBe(200);
    expect((await ask(maker, "DELETE", `/${maker.id}`)).status).toBe(200);
  });
  test("scopes that the caller's kind of key can never hold do not count", async () => {
    const { put, ask } = await world();
    const admin = await put({ type: "organisation-service", scopes: MANAGING });
    const victim = await put({ scopes: ["data_plane.*", "completions.write", "feedbacks.write"] });
    expect((await ask(admin, "PUT", `/${victim.id}`, { name: "theirs" })).status).toBe(200);
    expect((await ask(admin, "DELETE", `/${victim.id}`)).status).toBe(200);
  });
});

describe("what a limited key makes", () => {
  const limited = {
    scopes: ["*"],
    rate_limits: [{ type: "requests", unit: "rpm", value: 2 }] as Key["rate_limits"],
    usage_limits: { credit_limit: 10, periodic_reset: "monthly" as const },
    defaults: { config_id: "pc-one", allow_config_override: false, metadata: { team: "a" } },
  };
  const make = async (body: Json) => {
    const { put, ask, get } = await world();
    const maker = await put(limited);
    const answer = await ask(maker, "POST", "/service", { name: "child", scopes: ["completions.write"], ...body });
    const child = await get(String(answer.body["id"]));
    return { answer, child, ask: (more: Json) => ask(maker, "PUT", `/${child?.id}`, more), again: () => get(child?.id ?? "") };
  };
  test("takes over what the body leaves open", async () => {
    expect((await make({})).child).toMatchObject({ ...limited, scopes: ["completions.write"] });
    expect((await make({ rate_limits: [{ type: "tokens", value: 9 }] })).child?.rate_limits).toEqual([
      { type: "tokens", unit: "rpm", value: 9 },
      ...limited.rate_limits,
    ]);
    expect((await make({ rate_limits: null, usage_limits: null, defaults: null })).child).toMatchObject({
      ...limited,
      scopes: ["completions.write"],
    });
  });
  test("may be bound more tightly", async () => {
    const tighter = { rate_limits: [{ type: "requests", unit: "rpm", value: 1 }], usage_limits: { credit_limit: 4 } };
    expect((await make(tighter)).child).toMatchObject(tighter);
    expect((await make({ defaults: { metadata: { app: "x" } } })).child?.defaults["metadata"]).toEqual({ team: "a", app: "x" });
  });
  test.each<[Json, string]>([
    [{ rate_limits: [{ value: 3 }] }, "rate_limits"],
    [{ usage_limits: { credit_limit: 11, periodic_reset: "monthly" } }, "usage_limits"],
    [{ usage_limits: { credit_limit: 10, periodic_reset: "weekly" } }, "usage_limits"],
    [{ usage_limits: { credit_limit: 10, type: "tokens" } }, "usage_limits"],
    [{ defaults: { allow_config_override: true } }, "defaults"],
    [{ defaults: { config_id: "pc-two" } }, "defaults"],
    [{ defaults: { metadata: { team: "b" } } }, "defaults"],
    [{ defaults: { metadata: { team: "" } } }, "defaults"],
    [{ reset_usage: true }, "reset_usage"],
  ])("is never given %j, at once or later", async (body, param) => {
    if (param !== "reset_usage") expect((await make(body)).answer).toMatchObject({ status: 403, body: { error: { code: "AB03", param } } });
    const { ask, child, again } = await make({});
    expect(await ask(body)).toMatchObject({ status: 403, body: { error: { code: "AB03", param } } });
    expect(await again()).toEqual(child);
  });
  test("keeps its bounds when an update takes them away", async () => {
    const { ask, again } = await make({});
    for (const body of [
      { rate_limits: [] },
      { rate_limits: null },
      { usage_limits: null },
      { defaults: null },
      { defaults: {} },
      { defaults: { metadata: {} } },
    ])
      expect(await ask(body)).toMatchObject({ status: 200 });
    expect(await again()).toMatchObject({ ...limited, scopes: ["completions.write"] });
  });
});

/* ── any sequence of creates and updates ─────────────────────────────────────────────────────────────────────── */

/** Chance that repeats itself. */
function chance(seed: number) {
  let state = seed;
  const below = (limit: number): number => {
    state = (Math.imul(state ^ (state >>> 15), 0x2c1b3c6d) + 0x9e3779b9) | 0;
    return ((state ^ (state >>> 13)) >>> 0) % limit;
  };
  const one = <T>(items: readonly T[]): T => items[below(items.length)] as T; // never asked of an empty list
  const some = <T>(items: readonly T[], most: number): T[] => Array.from({ length: below(most + 1) }, () => one(items));
  return { below, one, some };
}
type Chance = ReturnType<typeof chance>;

const limits = ({ one, some }: Chance): Key["rate_limits"] =>
  some([0, 1, 2], 2).map((value) => ({ type: one(["requests", "tokens"]), unit: one(["rps", "rpm"]), value }));
const budget = ({ one }: Chance): Key["usage_limits"] =>
  one([
    null,
    {},
    { credit_limit: 5 },
    { credit_limit: 9, type: "tokens" as const },
    { credit_limit: 5, periodic_reset: one(["weekly", "monthly"] as const) },
    { credit_limit: 5, periodic_reset_days: one([3, 7, 29, 30, 60]) },
  ]);
const defaultsBy = ({ one }: Chance): Json =>
  one<Json>([
    {},
    { config_id: "pc-one" },
    { allow_config_override: false },
    { config_id: one(["pc-one", "pc-two"]), allow_config_override: false },
  ]);
const scopesBy = ({ one, some }: Chance, type: KeyType): string[] => {
  const held = some(
    [...MANAGING, "configs.read", "configs.delete", "completions.write", "models.list", "logs.view", "data_plane.*", "*"],
    8,
  );
  return [...new Set([...held, one(["logs.view", "configs.read"])])].filter((scope) => mayHold(type, scope));
};
const bodyBy = (by: Chance): Json => ({
  ...(by.below(2) && { rate_limits: by.one<unknown>([limits(by), null]) }),
  ...(by.below(2) && { usage_limits: budget(by) }),
  ...(by.below(2) && { defaults: by.one<unknown>([defaultsBy(by), null]) }),
});

/** What a key may do, told apart from the rules under test: every deed with how often. */
const deeds = (key: Key, among: KeyType): ReadonlyMap<string, number> =>
  new Map([...scopeDeeds(key, among), ...rateDeeds(key), ...spending(key), ...configsOf(key)]);
type Deeds = readonly (readonly [deed: string, often: number])[];
const scopeDeeds = ({ scopes, type }: Key, among: KeyType): Deeds =>
  [...SCOPES, "*", "data_plane.*"]
    .filter((scope) => expandedScopes(scopes, type).has(scope) && mayHold(among, scope))
    .map((scope) => [scope, 1] as const);
const rateDeeds = ({ rate_limits }: Key): Deeds =>
  ["requests rps", "requests rpm", "tokens rps", "tokens rpm"].map(
    (name) => [name, Math.min(...rate_limits.filter(({ type, unit }) => `${type} ${unit}` === name).map(({ value }) => value))] as const,
  );
function spending({ usage_limits }: Key): Deeds {
  const { credit_limit: credit = null, type = "cost", periodic_reset: period, periodic_reset_days: days } = usage_limits ?? {};
  const times = new Map([
    ["weekly", 5_218],
    ["monthly", 1_200],
  ]).get(period ?? "");
  const century = (credit ?? Number.POSITIVE_INFINITY) * (times ?? (days ? 36_525 / days : 1));
  return ["cost", "tokens"].map((kind) => [kind, kind === type ? century : Number.POSITIVE_INFINITY] as const);
}
const configsOf = ({ defaults }: Key): Deeds =>
  ["pc-one", "pc-two", "any other"]
    .filter((config) => defaults["allow_config_override"] !== false || defaults["config_id"] === config)
    .map((config) => [config, 1] as const);
const more = (key: Key, than: Key): readonly string[] => {
  const most = deeds(than, than.type);
  return [...deeds(key, than.type)].filter(([deed, often]) => often > (most.get(deed) ?? 0)).map(([deed]) => deed);
};

type World = Awaited<ReturnType<typeof world>>;
const madeBy = (by: Chance, type: KeyType, more: readonly string[] = []): Partial<Key> => ({
  ...{ type, scopes: [...more, ...scopesBy(by, type)] },
  ...{ rate_limits: limits(by), usage_limits: budget(by), defaults: defaultsBy(by) },
});
function create({ ask }: World, by: Chance, actor: Key) {
  const type: KeyType = by.one(["workspace-service", "workspace-user"]);
  const body = { name: "child", workspace_id: WORKSPACE.ours, scopes: scopesBy(by, type), ...bodyBy(by) };
  if (type === "workspace-service") return ask(actor, "POST", "/service", body);
  return ask(actor, "POST", "/user", { ...body, user_id: USER });
}
const update = ({ ask }: World, by: Chance, actor: Key, target: Key) =>
  ask(actor, "PUT", `/${target.id}`, {
    ...bodyBy(by),
    ...(by.below(3) === 0 && { scopes: scopesBy(by, target.type) }),
    ...(by.below(4) === 0 && { reset_usage: true }),
  });

/** One key, some that are none of its making, and twelve deeds of the key or of those it made; how many were granted. */
async function play(seed: number): Promise<number> {
  const by = chance(seed);
  const here = await world();
  const type = by.one<KeyType>(["organisation-service", "workspace-service", "workspace-service"]);
  const manages = MANAGING.filter((scope) => mayHold(type, scope));
  const root = await here.put(madeBy(by, type, manages));
  for (let other = 0; other < 3; other += 1) await here.put(madeBy(by, "workspace-service"));
  const planted = new Map((await here.all()).map((key) => [key.id, JSON.stringify(key)]));
  const family = new Set([root.id]);
  let granted = 0;
  for (let step = 0; step < 12; step += 1) {
    const keys = await here.all();
    const actor = by.one(keys.filter(({ id }) => family.has(id)));
    const { status, body } = by.below(3) === 0 ? await create(here, by, actor) : await update(here, by, actor, by.one(keys));
    expect([200, 400, 403, 404]).toContain(status);
    if (status !== 200) continue;
    granted += 1;
    if (typeof body["id"] === "string") family.add(body["id"]);
    const written = (await here.all()).filter((key) => planted.get(key.id) !== JSON.stringify(key));
    expect(written.map((key) => ({ seed, step, of: key.type, more: more(key, root) })).filter((key) => key.more.length > 0)).toEqual([]);
  }
  return granted;
}

test("no sequence of creates and updates makes a key that may do more than the first of them", async () => {
  let granted = 0;
  for (let seed = 1; seed <= 60; seed += 1) granted += await play(seed);
  expect(granted).toBeGreaterThan(75); // it was not all refused
}, 60_000);
