import { expect, test } from "bun:test";
import { FIRST_ORGANISATION_ID as OURS } from "#contract";
import { type Json, bodyOf } from "../endpoints/api.ts";
import { ADMIN_KEY, type Answer, ask, startGateway, until } from "../process.ts";
import { verifies } from "../../requirements/verifies.ts";
import { onBoth } from "./api.ts";

const SECRET = "sk-auditCanary0123456789abcdefXYZ";

onBoth("audit log", (plane) => {
  const read = (query: Json = {}, key = ADMIN_KEY): Promise<Answer> => {
    const span = { start_time: "2020-01-01T00:00:00Z", end_time: "2100-01-01T00:00:00Z", organisation_id: OURS, page_size: 100 };
    const search = new URLSearchParams(Object.entries({ ...span, ...query }).map(([name, value]) => [name, String(value)]));
    return plane.as(key, "GET", `/v2/audit-logs?${search}`);
  };
  const entries = async (query: Json = {}): Promise<readonly Json[]> => bodyOf(await read(query))["records"] as Json[];

  test(verifies("AUD.entry", "a write leaves an entry: who, what, before and after, with secrets masked"), async () => {
    const made = bodyOf(
      await plane.admin("POST", "/admin/v2/integrations", { name: "audited", slug: "audited", ai_provider_id: "openai", key: SECRET }),
    );
    await plane.admin("PUT", `/admin/v2/integrations/audited`, { name: "audited again", key: `${SECRET}-2` });
    await plane.admin("DELETE", `/admin/v2/integrations/audited`);
    const [removed, changed, created] = (await entries({ resource_type: "integrations" })).filter(
      ({ resource_id }) => resource_id === made["id"],
    );
    expect(created).toMatchObject({ action: "create", method: "POST", uri: "/admin/v2/integrations", user_type: "api_key", before: null });
    expect(created).toMatchObject({ response_status_code: 200, organisation_id: OURS, after: { name: "audited" } });
    expect(changed).toMatchObject({ action: "update", method: "PUT", before: { name: "audited" }, after: { name: "audited again" } });
    expect(Object.keys((changed?.["after"] ?? {}) as Json)).not.toContain("ai_provider_id");
    expect(removed).toMatchObject({ action: "delete", method: "DELETE", after: null, before: { name: "audited again" } });
    expect(JSON.stringify([created, changed, removed])).not.toContain("auditCanary");
  });

  test(verifies("AUD.together", "a write that is refused leaves no entry of it"), async () => {
    const key = { name: "twice", slug: "audit-twice", ai_provider_id: "openai", key: SECRET };
    expect((await plane.admin("POST", "/admin/v2/integrations", key)).status).toBe(200);
    expect((await plane.admin("POST", "/admin/v2/integrations", key)).status).toBe(409);
    const of = (await entries({ resource_type: "integrations" })).filter(({ after }) => (after as Json | null)?.["slug"] === "audit-twice");
    expect(of.map(({ action }) => action)).toEqual(["create"]);
  });

  test(verifies("AUD.signIn", "an accepted invite and the command line are told of"), async () => {
    const { id: workspace } = await plane.workspace("Audited people");
    const person = await plane.person("ada@audit-log.example", [{ id: workspace, role: "member" }]);
    const joined = await entries({ user_id: person.id });
    for (const entry of joined)
      expect(entry).toMatchObject({ method: "POST", user_type: "user", user_name: "ada@audit-log.example", query_params: "token=*******" });
    const done = joined.map(({ action, resource_type }) => `${action} ${resource_type}`);
    expect(done.sort()).toEqual(["create api_keys", "create users", "create workspace_members", "sign_in invites"]);
    await plane.admin("PUT", `/v2/admin/workspaces/${workspace}`, { name: "Audited people, again" });
    const printed = await plane.command("organisations", "create", "Audited organisation");
    const other = /Organisation {2}(\S+)/.exec(printed)?.[1] ?? "";
    const admin = /Admin key {5}(\S+)/.exec(printed)?.[1] ?? "";
    const theirs = bodyOf(await read({ organisation_id: other }, admin));
    expect((theirs["records"] as Json[]).map(({ user_type }) => user_type)).toEqual(Array(4).fill("command_line"));
    expect(JSON.stringify(theirs)).not.toContain(admin);
  });

  test(verifies("AUD.routes", "what writes no record is told of, too"), async () => {
    expect((await plane.admin("POST", "/admin/v2/generations", {})).status).toBe(200);
    const [entry] = await entries({ uri: "/generations" });
    expect(entry).toMatchObject({ action: "manage", resource_type: "generations", method: "POST", before: null, after: null });
  });

  test(verifies("AUD.tenants", "the log is the organisation's alone"), async () => {
    const { id } = await plane.workspace("Audit tenants");
    const key = await plane.key(id, ["virtual_keys.list"]);
    expect((await read({}, key)).status).toBe(403);
    expect((await read({ organisation_id: crypto.randomUUID() })).status).toBe(403);
  });

  test(verifies("AUD.refusals", "refusals are entries, a hundred a minute and key"), async () => {
    const { id } = await plane.workspace("Refused");
    const key = await plane.key(id, ["completions.write"]);
    const before = Number(bodyOf(await read({ workspace_id: id, action: "refuse" }))["total"]);
    expect(before).toBe(0);
    for (let i = 0; i < 4; i += 1)
      await Promise.all(Array.from({ length: 60 }, async () => expect((await plane.as(key, "GET", "/v2/configs")).status).toBe(403)));
    const refused = bodyOf(await read({ workspace_id: id, action: "refuse", response_status_code: 403 }));
    const total = Number(refused["total"]);
    expect(total === 100 || (total > 100 && total <= 202)).toBe(true); // a minute may have ended meanwhile
    expect((refused["records"] as Json[])[0]).toMatchObject({
      resource_type: "requests",
      uri: "/v2/configs",
      method: "GET",
      user_type: "api_key",
    });
    const unknown = "gw_nobodysKeyThatIsNone0123456789";
    await plane.as(unknown, "GET", "/v2/configs");
    const [nobody] = await entries({ user_type: "unknown", response_status_code: 401 });
    expect(nobody).toMatchObject({ user_id: null, uri: "/v2/configs" });
    expect(JSON.stringify(nobody)).not.toContain(unknown);
  });

  test(verifies("AUD.refusals", "who may not ask a model is told of, too"), async () => {
    const { id } = await plane.workspace("Refused models");
    const key = await plane.key(id, ["virtual_keys.list"]);
    const body = { model: "@sandbox/echo", messages: [{ role: "user", content: "hello" }] };
    expect((await plane.as(key, "POST", "/v1/chat/completions", body)).status).toBe(403);
    const told = async (): Promise<readonly Json[]> => entries({ workspace_id: id, action: "refuse" });
    await until("the entry is written", async () => (await told()).length > 0, 10_000);
    expect(await told()).toMatchObject([
      { uri: "/v1/chat/completions", method: "POST", response_status_code: 403, user_role: "workspace-service" },
    ]);
  });

  test(verifies("AUD.read", "fourteen filters, pages, and what is not right with them"), async () => {
    const { id: workspace_id, slug } = await plane.workspace("Filtered");
    const headers = { "x-gateway-trace-id": "audit-trace-1", "x-forwarded-for": "203.0.113.9, 10.0.0.1", "cf-ipcountry": "NL" };
    const sent = { name: "filtered", workspace_id, scopes: ["completions.write"] };
    const made = await fetch(`${plane.gateway.base}/v2/api-keys/service`, {
      method: "POST",
      headers: { ...headers, authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json" },
      body: JSON.stringify(sent),
    });
    expect(made.status).toBe(200);
    const all = await entries({ workspace_id: slug, resource_type: "api_keys" });
    expect(all.length).toBe(1);
    const [entry = {}] = all;
    const own = { workspace_id, resource_type: "api_keys", request_id: "audit-trace-1", client_ip: "203.0.113.9", country: "NL" };
    expect(entry).toMatchObject(own);
    const at = Date.parse(String(entry["timestamp"]));
    const same = { method: "POST", user_id: entry["user_id"], user_type: "api_key", action: "create", response_status_code: 200 };
    const span = { start_time: at, end_time: new Date(at + 1).toISOString() };
    expect(await entries({ ...own, ...same, ...span, uri: "api-keys/serv" })).toEqual([entry]);
    for (const other of [
      { method: "PUT" },
      { uri: "/V2" },
      { request_id: "audit-trace-2" },
      { user_id: crypto.randomUUID() },
      { user_type: "user" },
      { workspace_id: crypto.randomUUID() },
      { response_status_code: 403 },
      { resource_type: "configs" },
      { action: "delete" },
      { client_ip: "10.0.0.1" },
      { country: "DE" },
      { start_time: at + 1 },
      { end_time: at },
    ])
      expect([other, await entries({ ...own, ...other })]).toEqual([other, []]);
    const paged = bodyOf(await read({ page_size: 1, current_page: 1 }));
    const page = (await entries({ page_size: 2 }))[1];
    expect(paged).toMatchObject({ records: [page], object: "analytics-graph" });
    expect(bodyOf(await read({ page_size: 0 }))["records"]).toEqual([]);
    for (const wrong of [{ page_size: 101 }, { start_time: "yesterday" }, { user_type: "robot" }, { nothing: 1 }])
      expect((await read(wrong)).status).toBe(400);
    expect(bodyOf(await plane.admin("GET", "/v2/audit-logs?request_id=audit-trace-1"))).toMatchObject({ records: all, total: 1 });
  });

  test(verifies("AUD.append", "the log can be read, and neither changed nor deleted"), async () => {
    const [entry] = await entries({ page_size: 1 });
    for (const method of ["POST", "PUT", "DELETE"])
      for (const path of ["/v2/audit-logs", `/v2/audit-logs/${String(entry?.["id"])}`])
        expect([404, 405]).toContain((await plane.admin(method, path, {})).status);
  });

  test(verifies("AUD.chain", "whoever writes at the same time, the entries are one chain, and the command checks it"), async () => {
    await Promise.all(Array.from({ length: 20 }, (_, i) => plane.workspace(`Chained ${i}`)));
    const newest = await entries();
    for (const [i, { sequence, hash }] of newest.slice(1).entries())
      expect(newest[i]).toMatchObject({ sequence: Number(sequence) + 1, previous_hash: hash });
    expect(await plane.command("audit", "verify")).toContain("each is whole");
    expect(await plane.command("audit", "verify", "--organisation", OURS)).toContain(`${OURS}  whole, `);
  });
});

test(verifies("9.flag-audit", verifies("AUD.off", "AUDIT_LOGS_ENABLED=OFF writes nothing and takes the route away")), async () => {
  const gateway = await startGateway({ env: { AUDIT_LOGS_ENABLED: "OFF" } });
  const admin = (method: string, path: string, body?: Json) => ask(gateway.base + path, method, ADMIN_KEY, body);
  expect((await admin("POST", "/v2/admin/workspaces", { name: "Unseen" })).status).toBe(200);
  expect((await admin("GET", "/v2/audit-logs")).status).toBe(404);
  await gateway.stop();
  const again = await startGateway({ dataDir: gateway.dataDir });
  const answer = await ask(`${again.base}/v2/audit-logs?resource_type=workspaces`, "GET", ADMIN_KEY);
  expect(bodyOf(answer)).toMatchObject({ total: 0 });
  await again.stop();
  again.remove();
}, 60_000);
