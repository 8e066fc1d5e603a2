import { expect, test } from "bun:test";
import { bodyOf, type Json } from "../endpoints/api.ts";
import { ADMIN_KEY } from "../process.ts";
import { verifies } from "../../requirements/verifies.ts";
import { onBoth } from "./api.ts";

/* Which entries one request leaves, by the trace that it says. */

onBoth("audit entries of one request", (plane) => {
  const send = async (trace: string, method: string, path: string, headers: Json = {}, body?: Json) =>
    fetch(plane.gateway.base + path, {
      method,
      headers: {
        ...{ authorization: `Bearer ${ADMIN_KEY}`, "content-type": "application/json", "x-gateway-trace-id": trace },
        ...(headers as Record<string, string>),
      },
      ...(body && { body: JSON.stringify(body) }),
    });
  const left = async (trace: string): Promise<readonly Json[]> =>
    bodyOf(await plane.admin("GET", `/v2/audit-logs?request_id=${trace}`))["records"] as Json[];
  const actions = async (trace: string) => (await left(trace)).map(({ action }) => action);

  test(verifies("AUD.stamps", "a write with If-Match leaves one entry, and none where it is refused"), async () => {
    const { id } = await plane.workspace("Audited stamps");
    const path = `/v2/admin/workspaces/${id}`;
    const tag = (await send("stamps-read", "GET", path)).headers.get("etag") ?? "";
    expect((await send("stamps-bad", "PUT", path, { "if-match": tag }, { slug: "Not A Slug!" })).status).toBe(400);
    expect((await send("stamps-put", "PUT", path, { "if-match": tag }, { name: "Audited stamps, again" })).status).toBe(200);
    expect((await send("stamps-late", "PUT", path, { "if-match": tag }, { name: "Too late" })).status).toBe(412);
    expect(await left("stamps-put")).toMatchObject([{ action: "update", after: { name: "Audited stamps, again" } }]);
    expect([await actions("stamps-bad"), await actions("stamps-late"), await actions("stamps-read")]).toEqual([[], [], []]);
  });

  test(verifies("AUD.reveal", "whoever reads a secret leaves an entry that says so"), async () => {
    const { id: workspace_id } = await plane.workspace("Audited secrets");
    const made = { name: "revealed", workspace_id, scopes: ["completions.write"] };
    const { id } = bodyOf(await plane.admin("POST", "/v2/api-keys/service", made));
    expect((await send("reveal-rotate", "POST", `/v2/api-keys/${id}/rotate`, {}, {})).status).toBe(200);
    expect((await send("reveal-key", "GET", `/v2/api-keys/${id}/secret`)).status).toBe(200);
    expect(await actions("reveal-rotate")).toEqual(["rotate"]);
    const revealed = { action: "reveal", method: "GET", resource_type: "api_keys", resource_id: id, before: null, after: null };
    expect(await left("reveal-key")).toMatchObject([revealed]);
    const invite = { email: "reveal@audit-requests.example", role: "member", workspaces: [{ id: workspace_id, role: "member" }] };
    expect((await plane.admin("POST", "/v2/admin/users/invites", invite)).status).toBe(200);
    const mails = bodyOf(await plane.admin("GET", `/v2/admin/mails?email=${invite.email}`))["data"] as Json[];
    expect((await send("reveal-mail", "GET", `/v2/admin/mails/${mails[0]?.["id"]}`)).status).toBe(200);
    expect(await left("reveal-mail")).toMatchObject([{ action: "reveal", resource_type: "mails", resource_id: mails[0]?.["id"] }]);
  });

  test(verifies("AUD.replay", "what is answered again was not done again"), async () => {
    const made = { name: "Audited replays" };
    const key = { "idempotency-key": crypto.randomUUID() };
    expect((await send("replay-first", "POST", "/v2/admin/workspaces", key, made)).status).toBe(200);
    const again = await send("replay-again", "POST", "/v2/admin/workspaces", key, made);
    expect([again.status, again.headers.get("idempotency-replayed")]).toEqual([200, "true"]);
    expect(await actions("replay-first")).toContain("create");
    expect(await left("replay-again")).toEqual([]);
  });
});
