/**
 * The census: every route of the live router, of every plane. Each is an operation, a route of a plugin, or public for a
 * reason that stands here; each is closed, judged, bounded, counted, guarded and documented, or this file says why not.
 * What is asked of a route comes from its own table, so that a new one is asked too.
 */
import { Value } from "@sinclair/typebox/value";
import { afterAll, describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import {
  type Caller,
  CallerRateLimits,
  DATA_PREFIX,
  definePlugin,
  FIRST_ORGANISATION_ID,
  headerClasses,
  isJson,
  type Json,
  KEY_TYPES,
  type KeyType,
  type MountedOperation,
  type OperationName,
  scopesOf,
  wholePath,
  PREFIX,
} from "#contract";
import { registry } from "../../core/generated/registry.ts";
import { SCRIPT_PATH } from "../../core/http/docs-script.ts";
import { openapi } from "../../core/http/openapi.ts";
import { serveGeneration } from "../../core/http/server.ts";
import { ownKeys } from "../../core/kernel/secrets/own-keys.ts";
import { STEP_LIMITS } from "../../core/kernel/life.ts";
import { bootWith, type Given, PROFILE, rowOf } from "../kit/deployment.ts";

/* ── the deployment: everything of this build, over memory ───────────────────────────────────────────────────── */

const callers = new Map<string, Caller>();
/** Knows the callers that the tests make. */
const doorman: Given = {
  manifest: { kind: "policy", id: "census" },
  module: () => ({
    default: definePlugin({
      kind: "policy",
      config: Type.Object({}),
      needs: [],
      setup: () => ({ provides: { identify: ({ key }) => callers.get(key) } }),
    }),
  }),
};
const MAX_BODY = 2_000;
const built = await bootWith([], {
  registry: [...registry, rowOf(doorman)],
  profile: {
    ...PROFILE,
    plugins: { "storage/sqlite": { enabled: false } },
    order: ["policy/census", "policy/api-key", "policy/rate-limit"],
  },
  limits: STEP_LIMITS,
});
const { generation } = built;
const served = serveGeneration(generation, {
  maxJsonBytes: MAX_BODY,
  maxDepth: 32,
  headers: headerClasses([]),
  ownKeys: ownKeys({ digest: (text) => text }),
  now: Date.now,
  log: () => undefined,
  redact: (value) => value,
  isLoop: () => false,
});
afterAll(async () => {
  await served.gateway.close();
  await built.end();
});

const WORKSPACE = crypto.randomUUID();
/** A key of this kind with all that it may hold, but for these. */
function keyOf(keyType: KeyType, without: readonly string[] = [], more: Partial<Caller> = {}): string {
  const keyId = crypto.randomUUID();
  callers.set(keyId, {
    organisationId: FIRST_ORGANISATION_ID,
    workspaceId: keyType === "organisation-service" ? null : WORKSPACE,
    keyId,
    keyName: "census",
    keyType,
    userId: null,
    scopes: new Set(scopesOf(keyType, generation.scopes).filter((scope) => !without.includes(scope))),
    metadata: {},
    configId: null,
    allowConfigOverride: true,
    ...more,
  });
  return keyId;
}

/* ── who is there ────────────────────────────────────────────────────────────────────────────────────────────── */

/** Nobody need be known there, and no API document names them; why. */
const PUBLIC: Readonly<Record<string, string>> = {
  "GET /v2/model-configs/pricing/:provider/:model": "list prices are told to anybody",
  "GET /v1/model-configs/pricing/:provider/:model": "the same for older clients",
  "GET /": "liveness for who asks nothing but the host",
  "GET /v1/health": "liveness and version: a control plane asks it of its gateways without a key",
  "GET /healthz": "liveness: a probe has no key, and it tells nothing",
  "GET /readyz": "readiness: a probe has no key",
  "GET /status": "the detail, which asks for a key itself off loopback",
  "GET /metrics": "counters, which ask for a key themselves off loopback",
  "GET /openapi.json": "the API's own description",
  "POST /v2/admin/users/invites/accept": "whoever has the link is the person who was invited",
  "POST /v1/admin/users/invites/accept": "the same below the one base of older clients",
  "GET /v2/admin/users/invites/accept": "the page behind the link, which is the same for everybody",
  "GET /v1/admin/users/invites/accept": "the same below the one base of older clients",
  "GET /docs": "the API's own description, for people",
  [`GET ${SCRIPT_PATH}`]: "the script of that page, which tells nothing",
};
const CATCH_ALL = "/*";
/** The same operation, its last parameter spelt with slashes. */
const isOfSlashes = ({ method, path }: { readonly method: string; readonly path: string }): boolean =>
  operations.some((operation) => method === operation.method && path === operation.path.replace(/:\w+$/, "*") && operation.slashes);

interface Listed {
  readonly id: OperationName | null;
  readonly method: string;
  readonly path: string;
  readonly data: boolean;
  readonly scopes: readonly string[];
  /** How a body is judged: by a schema, as a form, or not at all, because nobody looks at one. */
  readonly body: "json" | "form" | "none";
  readonly query: boolean;
  /** Members that its query cannot do without. */
  readonly required: readonly string[];
  readonly slashes: boolean;
  /** Parameters that are one of few words. */
  readonly words?: Readonly<Record<string, readonly string[]>>;
}
const operations: readonly Listed[] = [...generation.operations.values()].map(({ row }) => {
  const { id, method, path, prefix = DATA_PREFIX, scope, body, slashes = false } = row;
  return { id, method, path: wholePath({ prefix }, path), data: true, scopes: [scope], body, query: false, required: [], slashes };
});
const routes: readonly Listed[] = generation.routes.map(({ method, plane, path, scope, body, query, words }) => ({
  id: null,
  method,
  path: PREFIX[plane] + path,
  data: plane === "data",
  scopes: isJson(scope) ? [] : ([scope].flat() as readonly string[]), // an object says that it is public
  body: body ? "json" : "none",
  query: query !== undefined,
  required: (query?.["required"] ?? []) as readonly string[], // by JSON Schema
  slashes: false,
  ...(words && { words }),
}));
/** The same routes below the base of older clients, where the data plane has none; where two planes have one, it is the control plane's. */
const aliases: readonly Listed[] = (["control", "admin"] as const)
  .flatMap((of) =>
    generation.routes.flatMap(({ plane, path }, at) => (plane === of ? [{ ...(routes[at] as Listed), path: DATA_PREFIX + path }] : [])),
  )
  .filter(({ method, path }) => ![...operations, ...routes].some((other) => other.method === method && other.path === path))
  .filter(({ method, path }, at, all) => all.findIndex((other) => other.method === method && shapeOf(other.path) === shapeOf(path)) === at);
function shapeOf(path: string): string {
  return path.replace(/:[\w-]+/g, ":");
}
const nameOf = ({ method, path }: { readonly method: string; readonly path: string }): string => `${method} ${path}`;
/** A verb behind a parameter is no part of what the router knows. */
const routeOf = (listed: Listed): string => nameOf(listed).replace(/\/:\w+:\w+$/, "/*");
const isClosed = (route: Listed): boolean => !(nameOf(route) in PUBLIC);
/** The path in the document, with the first of the words where a parameter is one of few. */
const shownPath = ({ path, words }: Listed): string =>
  path.replace(/\/:([\w-]+)/g, (_, name: string) => `/${words?.[name]?.[0] ?? `{${name}}`}`);
const documented = [...operations, ...routes].filter(isClosed);
const closed = [...documented, ...aliases.filter(isClosed)];

function ask(
  { method, path, body: kind }: Listed,
  key: string | null,
  body?: Json | string,
  more: Readonly<Record<string, string>> = {},
  search = "",
) {
  const form = kind === "form" && body !== undefined && typeof body !== "string";
  const headers = {
    ...(key !== null && { "x-gateway-api-key": key }),
    ...(body !== undefined && !form && { "content-type": "application/json" }),
    ...more,
  };
  const url = `http://localhost${path.replace(/\/:[\w-]+/g, () => `/${crypto.randomUUID()}`)}${search}`;
  const sent = form ? formOf(body) : typeof body === "string" ? body : JSON.stringify(body);
  return served.fetch(new Request(url, { method, headers, ...(method !== "GET" && body !== undefined && { body: sent ?? "" }) }));
}
function formOf(fields: Json): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) form.set(name, String(value));
  form.set("image", new File(["x"], "x.png"));
  return form;
}
async function readAnswer(answer: Response | Promise<Response>): Promise<{ status: number; text: string; code: unknown }> {
  const response = await answer;
  const text = await response.text();
  const json: unknown = text.startsWith("{") ? JSON.parse(text) : {};
  const error = isJson(json) && isJson(json["error"]) ? json["error"] : {};
  return { status: response.status, text: text.slice(0, 300), code: error["code"] };
}
/** Whoever may hold the scope, with every other one too. */
const holder = ({ scopes }: Listed): string =>
  keyOf(KEY_TYPES.find((type) => scopes.some((scope) => scopesOf(type, generation.scopes).includes(scope))) ?? expect.unreachable());

describe("the live router", () => {
  const mounted = served.mounted.filter((route) => route.path !== CATCH_ALL && !isOfSlashes(route));

  test("has no route that is not an operation, a plugin's route, or public for a written reason", () => {
    const pages = generation.console ? [generation.console.mount, `${generation.console.mount}/*`].map((path) => `GET ${path}`) : [];
    const known = new Set([...closed.map(routeOf), ...Object.keys(PUBLIC), ...pages]); // a console's own pages ask for keys where they need them
    expect(mounted.map(nameOf).filter((name) => !known.has(name))).toEqual([]);
    expect(closed.map(routeOf).filter((name) => !mounted.some((route) => nameOf(route) === name))).toEqual([]);
    expect(mounted.length).toBeGreaterThan(50);
  });
  test("has every plane, and no two routes of one name", () => {
    for (const prefix of Object.values(PREFIX))
      expect(closed.filter(({ path }) => path.startsWith(`${prefix}/`)).length).toBeGreaterThan(1);
    expect(new Set(mounted.map(nameOf)).size).toBe(mounted.length);
  });
  test("says 404 for what it does not have, in every plane, with a key and without", async () => {
    for (const path of ["/nothing-here", ...Object.values(PREFIX).map((prefix) => `${prefix}/nothing-here`)])
      for (const key of [null, keyOf("organisation-service")])
        expect((await readAnswer(ask({ ...(closed[0] as Listed), method: "GET", path }, key))).status).toBe(404);
  });
  test("is documented whole: path, scopes, body", () => {
    const { paths } = openapi(generation, { title: "t", version: "0" }) as { paths: Record<string, Record<string, Json>> };
    for (const route of documented) {
      const item = paths[shownPath(route)]?.[route.method.toLowerCase()];
      expect([nameOf(route), item?.["x-scopes"], item?.["requestBody"] !== undefined]).toEqual([
        nameOf(route),
        [...route.scopes],
        route.body !== "none",
      ]);
    }
  });
});

describe("the schemas of the API document", () => {
  test("have a name each: two that share one would be shown as one of them", () => {
    const named = new Map<string, Set<string>>();
    const collect = (value: unknown): void => {
      if (typeof value !== "object" || value === null) return;
      const { $id: id } = value as Json;
      if (typeof id === "string") named.set(id, (named.get(id) ?? new Set()).add(JSON.stringify(value)));
      for (const inside of Object.values(value)) collect(inside);
    };
    for (const { body, json, query, reply } of generation.operations.values()) collect([body, json, query, reply]);
    for (const { body, query, reply } of generation.routes) collect([body, query, reply]);
    expect([...named].filter(([, forms]) => forms.size > 1).map(([id]) => id)).toEqual([]);
    expect(named.size).toBeGreaterThan(50);
  });
});

/* ── closed ──────────────────────────────────────────────────────────────────────────────────────────────────── */

describe.each(closed.map((route) => [nameOf(route), route] as const))("%s", (_, route) => {
  const body = route.method === "GET" || route.method === "DELETE" ? undefined : {};

  test("names its scopes, which some key can hold", () => {
    expect(route.scopes.length).toBeGreaterThan(0);
    for (const scope of route.scopes)
      expect([scope, KEY_TYPES.some((type) => scopesOf(type, generation.scopes).includes(scope))]).toEqual([scope, true]);
  });
  test("refuses whom nobody knows with 401, before anything else", async () => {
    for (const key of [null, "nobody"])
      for (const sent of [body, body && "{", body && "x".repeat(2 * MAX_BODY)])
        expect({ key, ...(await readAnswer(ask(route, key, sent))) }).toMatchObject({ status: 401 });
  });
  test("refuses every kind of key that lacks its scope with 403, though it holds all others", async () => {
    for (const type of KEY_TYPES) {
      const answer = await readAnswer(ask(route, keyOf(type, route.scopes), body));
      expect({ type, ...answer }).toMatchObject({ status: 403, text: expect.stringContaining("lacks the scope") });
      if (!route.data) expect(answer.code).toBe("AB03");
    }
  });
  test("lets a key with its scope in", async () => {
    expect([401, 500]).not.toContain((await readAnswer(ask(route, holder(route), body))).status);
  });
});

/* ── judged and bounded ──────────────────────────────────────────────────────────────────────────────────────── */

/** They change something and take no body; why. */
const WITHOUT_BODY: Readonly<Record<string, string>> = {
  "POST /v2/admin/users/invites/:inviteId/resend": "there is nothing to say but which invite",
  "POST /admin/v2/generations": "the profile says what is built; its one word is in the query",
};
/** They take nothing from the query but the host hands them an empty one. */
const anyQuery = ({ query, id }: Listed): boolean => !query && id === null;

describe("bodies and queries", () => {
  const changing = routes.filter(({ method }) => ["POST", "PUT", "PATCH"].includes(method));

  test("of what changes something are judged by a schema, or there is none for a written reason", () => {
    const bare = changing.filter(({ body }) => body === "none").map(nameOf);
    expect(bare.filter((name) => !(name in WITHOUT_BODY))).toEqual([]);
  });
  test.each(closed.filter(({ body }) => body === "json").map((route) => [nameOf(route), route] as const))(
    "%s: refused beyond the cap, when they are no object, and when they are no JSON",
    async (_, route) => {
      const key = holder(route);
      const big = await readAnswer(ask(route, key, { pad: "x".repeat(MAX_BODY) }));
      expect(big).toMatchObject({ status: 413 });
      for (const sent of ["[]", '"text"', "7", "null", "{", `${'{"a":'.repeat(40)}1${"}".repeat(40)}`])
        expect({ sent, ...(await readAnswer(ask(route, key, sent))) }).toMatchObject({ status: 400 });
    },
  );
  test("of the control and admin planes take no member that they do not name, nor does any query", () => {
    const open = (schema: Json | undefined): boolean => schema !== undefined && schema["additionalProperties"] !== false;
    const { routes: all } = generation;
    expect(
      all
        .filter(({ plane, body, query }) => (plane !== "data" && open(body)) || open(query))
        .map(({ method, path }) => `${method} ${path}`),
    ).toEqual([]);
  });
  test("a query member that there is not is refused where a query is taken; where none is, nobody sees one", async () => {
    for (const route of routes.filter((listed) => listed.query && isClosed(listed))) {
      const query = ["zz_unknown", ...route.required].map((name) => `${name}=1`).join("&");
      const answer = await readAnswer(ask(route, holder(route), route.body === "json" ? {} : undefined, {}, `?${query}`));
      expect({ route: nameOf(route), ...answer }).toMatchObject({ status: 400, text: expect.stringContaining("zz_unknown") });
    }
    expect(
      routes
        .filter(anyQuery)
        .filter(({ method }) => method !== "GET")
        .map(nameOf),
    ).toEqual([]);
  });
});

/* ── counted and guarded ─────────────────────────────────────────────────────────────────────────────────────── */

const WORD = "census-word";
/** A body of each form that guardrails read, with the word in it. */
const WITH_WORD: readonly Json[] = [
  { contents: [{ parts: [{ text: WORD }] }] },
  { content: { parts: [{ text: WORD }] } },
  { requests: [{ content: { parts: [{ text: WORD }] } }] },
  { model: "m", max_tokens: 1, messages: [{ role: "user", content: WORD }] },
  { model: "m", prompt: WORD },
  { model: "m", input: WORD, voice: "v" },
  { model: "m", query: WORD, documents: ["x"] },
  { model: "m", instructions: WORD, assistant_id: "asst_1" },
  { role: "user", content: WORD },
  { tool_outputs: [{ tool_call_id: "call_1", output: WORD }] },
  { model: "m", state: WORD, questions: { a: { type: "noul", instructions: "x" } } },
  { model: "m", document: { type: "document_url", document_url: "https://a.example/b.pdf" }, document_annotation_prompt: WORD },
];
const FILES: Json = { input_file_id: "file-1", training_file: "file-1", file_id: "file-1", file_ids: ["file-1"], attributes: {} };
const WITHOUT_CONTENT: Json = { model: "m", endpoint: "/v1/chat/completions", completion_window: "24h", ...FILES };
function bodyFor({ id, content, body: kind }: MountedOperation): Json {
  const schema = (kind === "json" && generation.operations.get(id)?.body) || Type.Any();
  const read = WITH_WORD.filter((body) => content.input?.(body).some(({ text }) => text.includes(WORD)));
  return read.find((body) => Value.Check(schema, body)) ?? read[0] ?? WITHOUT_CONTENT;
}
/** They take a body and carry no content to check; why. */
const UNGUARDED: Readonly<Record<string, string>> = {
  uploadFile: "a file is checked where it is used",
  createBatch: "names a file; its lines are requests of their own",
  createFinetune: "names files",
  imageVariation: "an image, and no text",
  modifyThread: "names files, and pairs of the client's own",
  modifyMessage: "pairs of the client's own",
  modifyRun: "pairs of the client's own",
  createVectorStore: "names files",
  modifyVectorStore: "a name, and pairs of the client's own",
  createVectorStoreFile: "names a file",
  updateVectorStoreFileAttributes: "pairs of the client's own",
  createVectorStoreFileBatch: "names files",
};
/** They take a body and are free; why. */
const FREE: Readonly<Record<string, string>> = {
  countTokens: "nothing is generated, and clients ask it before every request",
  messagesCountTokens: "nothing is generated, and clients ask it before every request",
};
const guardedAt = (provider: string) => ({
  "x-gateway-config": JSON.stringify({
    provider,
    api_key: "none",
    input_guardrails: [{ deny: true, "default.regexMatch": { rule: WORD, not: true } }],
  }),
});
/** Providers with an adapter for an operation, or for the one that serves it: those that call a vendor, and those that answer offline. */
function servingOf(id: OperationName) {
  const dialect = [...generation.dialects.values()].find(({ operation, streamedBy }) => operation === id || streamedBy === id);
  const by = dialect?.served?.by ?? generation.operations.get(id)?.served?.by;
  const adapters = [...generation.providers].flatMap(([name, { provides }]) => {
    const adapter = provides.operations[id] ?? (by && provides.operations[by]);
    return adapter ? [{ name, isOffline: (adapter.answer ?? adapter.converse) !== undefined }] : [];
  });
  const named = (isOffline: boolean) => adapters.filter((adapter) => adapter.isOffline === isOffline).map(({ name }) => name);
  return { vendors: named(false), offline: named(true) };
}

describe.each(operations.map((route) => [String(route.id), route] as const))("the operation %s", (id, route) => {
  const row = generation.operations.get(id)?.row ?? expect.unreachable();
  const { vendors, offline } = servingOf(row.id);
  const body = row.body === "none" ? undefined : bodyFor(row);
  const answered = (key: string, headers: Readonly<Record<string, string>>) => readAnswer(ask(route, key, body, headers));

  test("is served by a provider, and answered offline for who has no account", () => {
    expect([id, vendors.length > 0]).toEqual([id, true]);
    expect([id, offline.length > 0]).toEqual([id, true]);
  });
  test(`is ${row.uncounted ? "not counted by" : "counted by"} rate limits`, async () => {
    const spent = keyOf("workspace-service", [], { terms: CallerRateLimits.saying([{ type: "requests", unit: "rph", value: 0 }]) });
    const { status } = await answered(spent, { "x-gateway-provider": "sandbox" });
    expect(status === 429).toBe(row.uncounted !== true);
    expect([id, row.uncounted === true && row.body !== "none" && !(id in FREE)]).toEqual([id, false]); // else only reading what is there is free
  });
  test(row.content.input === undefined ? "carries nothing to guard, for a reason" : "is guarded", async () => {
    const reason = row.body === "none" ? "it has no body" : UNGUARDED[id];
    if (row.content.input === undefined) return void expect([id, reason]).toEqual([id, expect.any(String)]);
    expect(await answered(keyOf("workspace-service"), guardedAt(vendors[0] ?? ""))).toMatchObject({ status: 446 });
  });
});
