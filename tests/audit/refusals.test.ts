import { expect, test } from "bun:test";
import { ApiKeys, type AuditEntry, FIRST_ORGANISATION_ID, Organisations } from "#contract";
import { askedBy } from "../../core/kernel/audit/asked-by.ts";
import { ChangeQueue } from "../../core/pipeline/settle/change-queue.ts";
import { verifies } from "../requirements/verifies.ts";
import { apiKey, auditing } from "./setting.ts";

const request = (headers: Record<string, string> = {}) =>
  askedBy({ method: "GET", path: "/v2/configs", search: "", headers: new Headers(headers), requestId: "r", address: "192.0.2.1" });
const who = (organisationId: string, key: string) => ({
  organisationId,
  workspaceId: null,
  actor: { actor_type: "api_key" as const, actor_id: key, actor_name: key, actor_role: "organisation-service" },
});

test(verifies("AUD.refusals", "a hundred a minute and key are told one by one, and the rest as a number"), async () => {
  const { audit, clock, entries } = await auditing();
  const organisation = crypto.randomUUID();
  const refuse = (key: string) =>
    audit.refused({ caller: who(organisation, key), key: undefined, request: request(), status: 403, isHeld: true });
  for (let i = 0; i < 130; i += 1) await refuse("one");
  await refuse("two");
  expect(await entries(organisation)).toHaveLength(101);
  clock.now += 60_000;
  await refuse("one");
  const told = (await entries(organisation)).slice(101);
  expect(told.map(({ count, actor_id, action, status }) => [count, actor_id, action, status])).toEqual([
    [30, "one", "refuse", 403],
    [1, "one", "refuse", 403],
  ]);
});

test(verifies("AUD.refusals", "what is not told yet is told when the gateway stops"), async () => {
  const { audit, entries } = await auditing();
  for (let i = 0; i < 150; i += 1)
    await audit.refused({ caller: null, key: `key${i}-0123456789`, request: request(), status: 401, isHeld: false });
  expect(await entries(FIRST_ORGANISATION_ID)).toHaveLength(10); // keys of nobody's are capped together
  await audit.close();
  expect((await entries(FIRST_ORGANISATION_ID)).at(-1)).toMatchObject({ count: 140, actor_type: "unknown", actor_id: null });
});

test(verifies("AUD.refusals", "a key that opens nothing any more is told in the log of whose it is"), async () => {
  const { audit, records, entries } = await auditing();
  const organisation = crypto.randomUUID();
  await records.in(ApiKeys).insert(apiKey(organisation, "expired-key-0123"));
  await audit.refused({ caller: null, key: "expired-key-0123", request: request(), status: 401, isHeld: true });
  const [made, refused] = await entries(organisation);
  expect(made?.after).toMatchObject({ digest: "*******", masked_key: "ex*******23" });
  expect(refused).toMatchObject({ action: "refuse", actor_name: "late", actor_role: "organisation-service", status: 401 });
});

test(verifies("AUD.refusals", "what anybody may say makes no long entry"), async () => {
  const { audit, entries } = await auditing();
  const long = "x".repeat(16_384);
  const names = ["user-agent", "accept", "origin", "host", "x-forwarded-for", "x-real-ip", "traceparent", "cf-ipcountry", "content-type"];
  const headers = new Headers([...names, "x-other"].map((name) => [name, long]));
  const asked = askedBy({ method: "GET", path: `/${long}`, search: `?a=${long}`, headers, requestId: long, address: "127.0.0.1" });
  await audit.refused({ caller: null, key: long, request: asked, status: 401, isHeld: false });
  const [entry] = await entries(FIRST_ORGANISATION_ID);
  expect(JSON.stringify(entry).length).toBeLessThan(6_000);
  expect(entry).toMatchObject({ uri: `/${"x".repeat(1_023)}`, query_params: `a=${"x".repeat(1_022)}`, user_agent: "x".repeat(256) });
});

test("a request is told with where it came from, and without credentials", () => {
  const sent = {
    "x-forwarded-for": "203.0.113.9, 10.0.0.1",
    authorization: "Bearer canary",
    cookie: "canary",
    "user-agent": "curl",
    "cf-ipcountry": "NL",
  };
  const asked = askedBy({
    method: "POST",
    path: "/v2/x",
    search: "?token=canary&page=2&clientSecret=canary",
    headers: new Headers(sent),
    requestId: "r",
    address: "192.0.2.1",
  });
  expect(asked).toMatchObject({
    client_ip: "203.0.113.9",
    user_agent: "curl",
    country: "NL",
    query_params: "token=*******&page=2&clientSecret=*******",
  });
  expect(JSON.stringify(asked)).not.toContain("canary");
  expect(request()).toMatchObject({ client_ip: "192.0.2.1", query_params: null, country: null });
});

test(verifies("AUD.entry", "keyed hashes and sealed members are hidden at any depth, from exporters too"), async () => {
  const { audit, records, entries } = await auditing();
  const told: AuditEntry[] = [];
  audit.listen((some) => told.push(...some));
  const id = crypto.randomUUID();
  const settings = { vault_check: "canary", deep: [{ vault_check: "canary", body_sealed: "canary", digest: "canary" }], shown: "yes" };
  await records.in(Organisations).insert({ id, created_at: 1, last_updated_at: 1, name: "hidden", settings });
  expect((await entries(id))[0]?.after).toMatchObject({ settings: { vault_check: "*******", shown: "yes" } });
  expect(told).toHaveLength(1);
  expect(JSON.stringify([told, await entries(id)])).not.toContain("canary");
});

test(verifies("AUD.changes", "an exporter takes entries in order, and again what it could not take"), async () => {
  const taken: number[][] = [];
  let away = true;
  const take = async (entries: readonly AuditEntry[]): Promise<void> => {
    if (away) throw new Error("away");
    taken.push(entries.map(({ sequence }) => sequence));
  };
  const lines: unknown[] = [];
  const queue = new ChangeQueue({ name: "exporter/test", take, log: (_, event, fields) => lines.push([event, fields?.["exporter"]]) });
  const entries = Array.from({ length: 230 }, (_, i) => ({ sequence: i + 1 }) as AuditEntry);
  queue.add(entries.slice(0, 2));
  await queue.flush();
  expect([taken, lines]).toEqual([[], [["export.changes", "exporter/test"]]]);
  away = false;
  queue.add(entries.slice(2));
  await queue.close();
  expect(taken.flat()).toEqual(entries.map(({ sequence }) => sequence));
  expect(taken.map(({ length }) => length)).toEqual([100, 100, 30]);
});
test("a client's address is what a proxy beside the gateway says, and what it says itself is not believed", () => {
  const ipOf = (address: string | null, forwarded: string): string | null =>
    askedBy({ method: "GET", path: "/", search: "", headers: new Headers({ "x-forwarded-for": forwarded }), requestId: "r", address })
      .client_ip;
  expect(ipOf("127.0.0.1", "198.51.100.7, 10.0.0.1")).toBe("198.51.100.7");
  expect(ipOf("8.8.8.8", "198.51.100.7")).toBe("8.8.8.8");
  expect(ipOf("10.0.0.3", "1.2.3.4<script>")).toBe("10.0.0.3");
});
