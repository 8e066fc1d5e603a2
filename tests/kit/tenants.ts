import { Type } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import {
  BLANK_WORKSPACE,
  type Caller,
  type Catalog,
  type Collection,
  GatewayError,
  headerClasses,
  type Json,
  type KeyType,
  Organisations,
  type Resource,
  type ResourceHandles,
  type Route,
  scopesOf,
  Users,
  WorkspaceMembers,
  Workspaces,
  SCOPE_TABLE,
  SCOPES,
} from "#contract";
import { resourceRoutes } from "../../core/admin/resource.ts";
import { validator } from "../../core/json/validate.ts";
import { rulesOf } from "./config.ts";
import { fakeHost } from "./host.ts";

/** Two organisations; the first has two workspaces. */
export const ORGANISATION = { ours: crypto.randomUUID(), theirs: crypto.randomUUID() };
export const WORKSPACE = { ours: crypto.randomUUID(), second: crypto.randomUUID(), theirs: crypto.randomUUID() };

/** Somebody who runs the first organisation, and so belongs to all of its workspaces. */
export const USER = crypto.randomUUID();

const caller = (keyType: KeyType, organisationId: string, workspaceId: string | null): Caller => ({
  organisationId,
  workspaceId,
  keyType,
  keyId: crypto.randomUUID(),
  keyName: "test",
  userId: null,
  scopes: new Set(scopesOf(keyType)),
  metadata: {},
  configId: null,
  allowConfigOverride: true,
});
export const CALLERS = {
  admin: caller("organisation-service", ORGANISATION.ours, null),
  workspace: caller("workspace-service", ORGANISATION.ours, WORKSPACE.ours),
  second: caller("workspace-service", ORGANISATION.ours, WORKSPACE.second),
  theirAdmin: caller("organisation-service", ORGANISATION.theirs, null),
  theirs: caller("workspace-service", ORGANISATION.theirs, WORKSPACE.theirs),
} as const;

const TARGET = Type.Object({
  openai_organization: Type.Optional(Type.String()),
  openai_secret: Type.Optional(Type.String({ secret: true })),
});
const RULES = rulesOf({ openai: TARGET });
/** What a resource's rules may look at in tests: one provider with a secret field, one check, three strategies. */
export const CATALOG: Catalog = {
  providers: () => [{ id: "openai", title: "OpenAI", operations: ["chatComplete"], target: TARGET }],
  providerIds: () => ["openai", "anthropic"],
  judgeConfig: (config, only) => RULES.judge(config, only ?? "written"),
  checks: () => [CHECK],
  check: (id) => (id === CHECK.id ? CHECK : undefined),
  credentials: () => new Map([["acme", ACCOUNT]]),
  secretManagers: () => new Map([["acme_vault", SIGN_IN]]),
  strategies: () => ["single", "fallback", "loadbalance"],
  scopes: () => SCOPE_TABLE,
  headers: headerClasses(["x-acme-"]),
};
/** What an account with a vendor consists of. */
const ACCOUNT = Type.Object(
  {
    apiKey: Type.String({ secret: true, minLength: 1 }),
    clientSecret: Type.Optional(Type.String({ secret: true })),
    apiEndpoint: Type.Optional(Type.String({ format: "uri", bound: true })),
    region: Type.Optional(Type.String()),
  },
  { additionalProperties: false },
);
/** Ways to sign in to a manager of secrets. */
const SIGN_IN = [
  Type.Object(
    { mode: Type.Literal("token"), address: Type.String({ format: "uri", bound: true }), token: Type.String({ secret: true }) },
    { additionalProperties: false },
  ),
  Type.Object({ mode: Type.Literal("role"), address: Type.String({ format: "uri", bound: true }) }, { additionalProperties: false }),
];
const PARAMETERS = Type.Object(
  { rule: Type.String(), not: Type.Optional(Type.Boolean()), forwardHeaders: Type.Optional(Type.Array(Type.String())) },
  { additionalProperties: false },
);
const CHECK = {
  id: "default.regexMatch",
  title: "Regex match",
  on: ["input", "output"],
  targets: ["llm"],
  secrets: [],
  problems: (parameters: unknown) => [...Value.Errors(PARAMETERS, parameters)].map(({ path, message }) => `${path} ${message}`),
  wrongMember: (parameters: unknown) => Value.Errors(PARAMETERS, parameters).First()?.path.slice(1),
} as const;

export interface Tenants {
  readonly handles: ResourceHandles;
  readonly clock: { now: number };
  /** Asks a route as the server would: key, scope, body and query judged first. */
  ask(resource: Resource, method: string, path: string, as: Caller | undefined, body?: Json): Promise<Answer>;
}
export interface Answer {
  readonly status: number;
  readonly body: Json;
  readonly text: string;
}

export async function tenants(collections: readonly Collection[]): Promise<Tenants> {
  const { host, clock } = await fakeHost(["records", "vault"], {
    catalog: CATALOG,
    collections: [...new Set([...collections, Organisations, Workspaces, Users, WorkspaceMembers])],
  });
  const handles: ResourceHandles = { records: host.records, vault: host.vault, catalog: CATALOG, judgeUrl };
  await populate(handles, clock.now);
  return {
    handles,
    clock,
    ask: (resource, method, path, as, body) =>
      answered(() =>
        serve(resourceRoutes(resource, handles), { method, path, as: as && withOwnScopes(as, resource), body, now: clock.now }),
      ),
  };
}

/** Who holds scopes holds those that the resource's plugin brings as well. */
function withOwnScopes(as: Caller, { scopes: { families } }: Resource): Caller {
  const own = families.flatMap((family) => ["list", "create", "read", "update", "delete"].map((action) => `${family}.${action}`));
  return as.scopes.size === 0 ? as : { ...as, scopes: new Set([...as.scopes, ...own.filter((scope) => !SCOPES.has(scope))]) };
}

function judgeUrl(url: string): void {
  const { hostname } = new URL(url);
  if (hostname !== "models.example.org") throw new GatewayError("HOST_BLOCKED", { host: hostname });
}

async function populate({ records }: ResourceHandles, now: number): Promise<void> {
  const stamps = { created_at: now, last_updated_at: now };
  const named = { first_name: "Ada", last_name: "L", email: "ada@ours.example" };
  await records.in(Users).insert({ id: USER, ...stamps, organisation_id: ORGANISATION.ours, ...named, role: "admin" });
  for (const [name, id] of Object.entries(ORGANISATION)) await records.in(Organisations).insert({ id, ...stamps, name, settings: {} });
  for (const [name, id] of Object.entries(WORKSPACE)) {
    const organisation_id = name === "theirs" ? ORGANISATION.theirs : ORGANISATION.ours;
    await records
      .in(Workspaces)
      .insert({ id, ...stamps, organisation_id, name, slug: name === "second" ? "second" : "default", ...BLANK_WORKSPACE });
  }
}

interface Sent {
  readonly method: string;
  readonly path: string;
  readonly as: Caller | undefined;
  readonly body: Json | undefined;
  readonly now: number;
}

async function serve(routes: readonly Route[], { method, path, as, body, now }: Sent): Promise<unknown> {
  const url = new URL(path, "http://localhost");
  for (const route of routes) {
    const params = route.method === method ? paramsOf(route.path, url.pathname) : undefined;
    if (!params) continue;
    if (!as) throw new GatewayError("KEY_MISSING");
    const scopes = [route.scope].flat();
    if (!scopes.some((scope) => typeof scope === "string" && as.scopes.has(scope)))
      throw new GatewayError("SCOPE_MISSING", { scope: scopes.join(" or "), action: route.path });
    const query = route.query ? validator(route.query, { text: true })(Object.fromEntries(url.searchParams)) : {};
    const given = route.body ? validator(route.body)(body ?? {}) : undefined;
    return route.handle({ body: given, query, params, caller: as, now, request: new Request(url, { method }) });
  }
  throw new GatewayError("ROUTE_UNKNOWN", { method, path });
}

function paramsOf(route: string, path: string): Record<string, string> | undefined {
  const wanted = route.split("/");
  const parts = path.split("/");
  if (wanted.length !== parts.length || !wanted.every((part, i) => part.startsWith(":") || part === parts[i])) return undefined;
  return Object.fromEntries(
    wanted.flatMap((part, i) => (part.startsWith(":") ? [[part.slice(1), decodeURIComponent(parts[i] ?? "")]] : [])),
  );
}

async function answered(work: () => Promise<unknown>): Promise<Answer> {
  try {
    const body = await work();
    return { status: 200, body: body as Json, text: JSON.stringify(body) }; // every answer of a resource is an object
  } catch (thrown) {
    if (!GatewayError.is(thrown)) throw thrown;
    const body = { error: { type: thrown.row.type, message: thrown.message, param: thrown.param, code: thrown.row.ab ?? null } };
    return { status: thrown.status, body, text: JSON.stringify(body) };
  }
}
