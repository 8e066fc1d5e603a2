import { describe, expect, test } from "bun:test";
import {
  BLANK_INTEGRATION,
  BLANK_WORKSPACE,
  type Call,
  type Caller,
  CallerRateLimits,
  GatewayError,
  type Host,
  Integrations,
  type Plan,
  Providers,
  RateLimitPolicies,
  type RecordStore,
  Workspaces,
  IntegrationWorkspaces,
} from "#contract";
import { operationRow } from "#kit";
import { shareRecords } from "../../core/kernel/records/records.ts";
import rateLimitPlugin from "../../plugins/policy/rate-limit/index.ts";
import { NAME_COLLECTIONS } from "../../plugins/policy/rate-limit/names.ts";
import { emptyData } from "../../storage/memory/data.ts";
import { connectMemory } from "../../storage/memory/index.ts";
import { until } from "./support.ts";

/** The rate-limit plugin over the memory storage, two processes of it if asked. */
async function deployment(now: () => number = () => 1_000) {
  const data = emptyData();
  const process = async (config = {}) => {
    const { provides: store } = connectMemory(data, { log: () => undefined, now });
    const { records, counters, feed } = store;
    if (!records || !counters || !feed) throw new Error("the memory storage provides these");
    let lists = 0;
    let away = false;
    const counted: RecordStore = {
      migrate: (collections) => records.migrate(collections),
      together: (writes) => records.together(writes),
      in: (collection) => {
        const inside = records.in(collection);
        return {
          ...inside,
          list: (query) => {
            if (collection.name === RateLimitPolicies.name) lists += 1;
            return away ? Promise.reject(new GatewayError("STORAGE_UNAVAILABLE", { handle: "records" })) : inside.list(query);
          },
        };
      },
    };
    const collections = [RateLimitPolicies, IntegrationWorkspaces, ...NAME_COLLECTIONS];
    const log = () => undefined;
    const shared = await shareRecords({ store: counted, feed, collections, log });
    const host: Host<"records" | "counters"> = { log, now, counters, records: shared.handle("policy/rate-limit", collections) };
    const running = await rateLimitPlugin.setup(host, { onOutage: "deny", policies: true, limits: true, ...config });
    const admit = async (call: Call, caller: Caller, plan: Plan): Promise<string> => {
      try {
        await running.provides.admit?.(call, caller, plan);
        return "admitted";
      } catch (error) {
        return GatewayError.is(error) ? `${error.code} ${error.details.limiter}` : String(error);
      }
    };
    return {
      admit,
      records,
      feed,
      lists: () => lists,
      away: (state: boolean) => {
        away = state;
      },
    };
  };
  return { process };
}
const caller: Caller = {
  organisationId: "org",
  workspaceId: "ws",
  keyId: "key",
  keyName: "key",
  keyType: "workspace-service",
  userId: null,
  scopes: new Set(),
  metadata: {},
  configId: null,
  allowConfigOverride: true,
};
const leaf = (provider: string | null) => ({ kind: "leaf", provider, path: "config", name: null, weight: 1 });
const asked = (control: Partial<Call["control"]> = {}) =>
  ({ operation: "chatComplete", row: operationRow("chatComplete"), control: { rest: {}, ...control }, body: { kind: "none" } }) as Call; // the policy looks at no more
const planned = (root: object, model: string | null = "gpt-4o", metadata = {}) =>
  ({ root, model, metadata, configSlug: null }) as unknown as Plan; // ditto
const stamps = { created_at: 1, last_updated_at: 1 };
const policy = (more: object) => ({
  id: crypto.randomUUID(),
  ...stamps,
  organisation_id: "org",
  workspace_id: "ws",
  name: "p",
  target: "llm" as const,
  type: "requests" as const,
  unit: "rpm" as const,
  value: 0,
  conditions: [{ key: "api_key", value: "*" }],
  group_by: [],
  status: "active" as const,
  ...more,
});

describe("rate limits over real counters", () => {
  test("200 at once on 10 a minute from two processes: exactly 10 pass", async () => {
    const { process } = await deployment();
    const both = [await process(), await process()];
    const limited: Caller = { ...caller, terms: CallerRateLimits.saying([{ type: "requests", unit: "rpm", value: 10 }]) };
    const results = await Promise.all(
      Array.from({ length: 200 }, (_, index) => (both[index % 2] as (typeof both)[0]).admit(asked(), limited, planned(leaf("openai")))),
    );
    expect(results.filter((result) => result === "admitted").length).toBe(10);
  });
  test("a policy is read once, and a new one is heard of in every process", async () => {
    const { process } = await deployment();
    const [first, second] = [await process(), await process()];
    const admit = () => second.admit(asked(), caller, planned(leaf("openai")));
    expect([await admit(), await admit(), second.lists()]).toEqual(["admitted", "admitted", 1]);
    const made = policy({ name: "new one" });
    await first.records.in(RateLimitPolicies).insert(made);
    await first.feed.publish("records:rate_limit_policies", made.id);
    let last = "admitted";
    await until(() => {
      void admit().then((result) => {
        last = result;
      });
      return last === "RATE_LIMITED new one";
    });
  });
  test("a policy about a provider holds for a saved provider of it, however the request names it", async () => {
    const { process } = await deployment();
    const { admit, records } = await process();
    await records.in(Integrations).insert({
      id: "int",
      ...stamps,
      organisation_id: "org",
      workspace_id: null,
      owner_id: "o",
      ai_provider_id: "openai",
      name: "n",
      slug: "s",
      description: null,
      status: "active",
      key_sealed: null,
      masked_key: null,
      ...BLANK_INTEGRATION,
      configurations: {},
      tags: {},
    });
    await records.in(Providers).insert({
      id: "prov",
      ...stamps,
      organisation_id: "org",
      workspace_id: "ws",
      integration_id: "int",
      name: "n",
      slug: "team",
      note: null,
      status: "active",
      usage_limits: null,
      rate_limits: [],
      expires_at: null,
      tags: {},
    });
    await records.in(Workspaces).insert({ id: "ws", ...stamps, organisation_id: "org", name: "n", slug: "main", ...BLANK_WORKSPACE });
    await records.in(RateLimitPolicies).insert(
      policy({
        conditions: [
          { key: "provider", value: "openai" },
          { key: "workspace_id", value: "main" },
          { key: "model", value: ["gpt-4o", "@team/*"] },
          { key: "endpoint_type", value: "chatComplete" },
        ],
      }),
    );
    const ways: [string, Call, Plan][] = [
      ["target", asked(), planned(leaf("@team"))],
      ["provider header", asked({ provider: "@team" }), planned(leaf(null))],
      ["virtual key header", asked({ virtualKey: "team" }), planned(leaf(null))],
      ["model", asked(), planned(leaf(null), "@team/gpt-4o")],
      ["provider id", asked({ provider: "openai" }), planned(leaf(null))],
      [
        "one of several targets",
        asked(),
        planned({ kind: "branch", targets: [leaf("google"), { kind: "branch", targets: [leaf("@team")] }] }),
      ],
    ];
    for (const [way, call, plan] of ways) expect([way, await admit(call, caller, plan)]).toEqual([way, "RATE_LIMITED p"]);
    expect(await admit(asked({ provider: "google" }), caller, planned(leaf(null)))).toBe("admitted");
    expect(await admit(asked(), caller, planned(leaf("openai"), "gpt-4"))).toBe("admitted");
    expect(await admit(asked({ provider: "openai" }), { ...caller, workspaceId: "other" }, planned(leaf(null)))).toBe("admitted");
  });
  test("archived policies and those for MCP tools do not limit; POLICY_ENABLED=OFF ignores policies, not keys", async () => {
    const { process } = await deployment();
    const { admit, records } = await process();
    await records.in(RateLimitPolicies).insert(policy({ status: "archived" }));
    await records.in(RateLimitPolicies).insert(policy({ target: "mcp_tools" }));
    expect(await admit(asked(), caller, planned(leaf("openai")))).toBe("admitted");
    await records.in(RateLimitPolicies).insert(policy({}));
    const off = await process({ policies: false });
    expect(await off.admit(asked(), caller, planned(leaf("openai")))).toBe("admitted");
    expect(
      await off.admit(
        asked(),
        { ...caller, terms: CallerRateLimits.saying([{ type: "requests", unit: "rpm", value: 0 }]) },
        planned(leaf("openai")),
      ),
    ).toBe("RATE_LIMITED key");
  });
  test("a database that is away while policies are cold is a 503, then a new read; warm policies go on", async () => {
    const { process } = await deployment();
    const node = await process();
    const admit = () => node.admit(asked(), caller, planned(leaf("openai")));
    node.away(true);
    expect(await admit()).toStartWith("STORAGE_UNAVAILABLE");
    node.away(false);
    expect(await admit()).toBe("admitted");
    node.away(true);
    expect(await admit()).toBe("admitted");
  });
});
