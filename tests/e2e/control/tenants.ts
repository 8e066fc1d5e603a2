/** Two organisations with two workspaces each, and the same things in all of them. */
import { expect } from "bun:test";
import { at, bodyOf, type Json } from "../endpoints/api.ts";
import { ask, until } from "../process.ts";
import type { ControlPlane } from "./api.ts";

/** A workspace, or an organisation with what is its own; the ids of what it has, by the path that addresses one. */
export interface Tenant {
  readonly key: string;
  readonly has: ReadonlyMap<string, readonly string[]>;
}
type Has = Map<string, readonly string[]>;
interface Thing {
  readonly path: string;
  readonly below?: string;
  readonly body: (has: Has) => Json;
}
const feedback: Json = { feedback: { value: 1, weight: 1, metadata: "" } };
const guardrail: Json = {
  ...{ name: "same", checks: [{ id: "default.wordCount", parameters: { maxWords: 9 } }] },
  actions: { deny: true, async: false, on_success: feedback, on_fail: feedback },
};
const integration: Json = { name: "same", ai_provider_id: "sandbox", create_default_provider: false, tags: { team: "same" } };
const policy: Json = {
  ...{ name: "same", type: "requests", unit: "rpm", value: 99 },
  ...{ conditions: [{ key: "metadata.team", value: "none" }], group_by: [{ key: "api_key" }] },
};
const signIn: Json = { vault_auth_type: "token", vault_addr: "https://vault.example.com", vault_token: "same-token-0123456789" };
/** The same in each workspace. */
const OF_WORKSPACE: readonly Thing[] = [
  { path: "/v2/configs", body: () => ({ name: "same", config: { provider: "sandbox" } }) },
  { path: "/v2/guardrails", body: () => guardrail },
  { path: "/v2/api-keys", below: "/service", body: () => ({ name: "same", scopes: ["logs.view"] }) },
  { path: "/v2/policies/rate-limits", body: () => policy },
  { path: "/admin/v2/integrations", body: () => integration },
  { path: "/v2/providers", body: (has) => ({ name: "same", slug: "same", integration_id: has.get("/admin/v2/integrations")?.[0] }) },
];
/** The same in each organisation, by the same short names. */
const OF_ORGANISATION: readonly Thing[] = [
  { path: "/admin/v2/guardrails", body: () => guardrail },
  { path: "/admin/v2/integrations", body: () => ({ ...integration, slug: "same" }) },
  {
    path: "/admin/v2/secret-references",
    body: () => ({
      ...{ name: "same", slug: "same", manager_type: "hashicorp_vault", auth_config: signIn, secret_path: "same" },
      tags: { team: "same" },
    }),
  },
  { path: "/v2/plugins", body: () => ({ plugin_id: "partner_a", credentials: { apiKey: "same-credential-0123456789" } }) },
];
/** Short names that all of them have: who asks for one is shown its own. */
export const SAME: readonly string[] = ["/admin/v2/integrations/same", "/admin/v2/secret-references/same"];

const FAMILIES = "workspace_service_api_keys workspace_users configs guardrails providers policies workspace_integrations".split(" ");
const KEY_SCOPES = [
  ...["completions.write", "logs.view", "workspaces.read", "workspaces.update", "workspaces.list"],
  ...FAMILIES.flatMap((family) => ["create", "read", "update", "delete", "list"].map((action) => `${family}.${action}`)),
];

const add = (has: Has, path: string, names: readonly string[]): Has => has.set(path, [...(has.get(path) ?? []), ...names]);
async function make(plane: ControlPlane, key: string, things: readonly Thing[], has: Has): Promise<void> {
  for (const { path, below = "", body } of things) {
    const answer = bodyOf(await plane.as(key, "POST", path + below, body(has)));
    const names = [at(answer, "data", "id") ?? answer["id"], at(answer, "data", "slug") ?? answer["slug"]];
    add(has, path, names.filter((name) => name !== undefined && name !== "same").map(String)); // what all have is nobody's mark
  }
}

async function workspaceOf(plane: ControlPlane, adminKey: string, address: string): Promise<Tenant> {
  const given = { name: "its own", workspace_id: address, scopes: KEY_SCOPES };
  const key = String(bodyOf(await plane.as(adminKey, "POST", "/v2/api-keys/service", given))["key"]);
  const { id } = bodyOf(await plane.as(key, "GET", `/v2/admin/workspaces/${address}`));
  const has: Has = new Map([["/v2/admin/workspaces", [String(id)]]]);
  await make(plane, key, OF_WORKSPACE, has);
  add(has, "/v2/virtual-keys", has.get("/v2/providers") ?? []); // their older name
  const chat = { model: "echo", messages: [{ role: "user", content: "same words" }] };
  const answer = await ask(`${plane.gateway.base}/v1/chat/completions`, "POST", key, chat, { "x-gateway-provider": "sandbox" });
  const log = String(answer.headers.get("x-gateway-trace-id"));
  await until("its log is written", async () => (await plane.as(key, "GET", `/v1/logs/${log}`)).status === 200);
  return { key, has: has.set("/v1/logs", [log]) };
}

/** Somebody of this organisation, by an invite that was accepted. */
async function personOf(plane: ControlPlane, adminKey: string, has: Has): Promise<void> {
  const invite = { email: "same@example.org", role: "member", workspaces: [{ id: "default", role: "member" }] };
  const invited = bodyOf(await plane.as(adminKey, "POST", "/v2/admin/users/invites", invite));
  const accepted = await fetch(String(invited["invite_link"]), {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ first_name: "Same", last_name: "Name" }),
  });
  const { id } = (await accepted.json()) as { id: string };
  for (const path of ["/v2/admin/users", "/v2/admin/workspaces/{workspaceId}/users"]) add(has, path, [id]);
  add(has, "/v2/admin/users/invites", [String(invited["id"])]);
  const mails = at(bodyOf(await plane.as(adminKey, "GET", "/v2/admin/mails")), "data") as readonly Json[]; // the invitation
  add(
    has,
    "/v2/admin/mails",
    mails.map(({ id: mail }) => String(mail)),
  );
}

/** The organisation's admin, who has all of it, and its two workspaces. */
export async function organisationOf(plane: ControlPlane, adminKey: string): Promise<readonly Tenant[]> {
  const second = bodyOf(await plane.as(adminKey, "POST", "/v2/admin/workspaces", { name: "Second" }));
  const workspaces = [await workspaceOf(plane, adminKey, "default"), await workspaceOf(plane, adminKey, String(second["slug"]))];
  const has: Has = new Map();
  for (const workspace of workspaces) for (const [path, names] of workspace.has) add(has, path, names);
  await make(plane, adminKey, OF_ORGANISATION, has);
  await personOf(plane, adminKey, has);
  const { id } = bodyOf(await plane.as(adminKey, "GET", "/v2/admin/organisation"));
  expect(id).toBeString();
  return [{ key: adminKey, has: add(has, "/v2/admin/organisation", [String(id)]) }, ...workspaces];
}
