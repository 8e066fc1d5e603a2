/**
 * Two workspaces on one credential, every operation with an id tried across. Operations and the ids in their bodies are
 * read from what their plugins say (`owned`), so that a new one is tried too.
 */
import { afterAll, describe, expect, test } from "bun:test";
import { Type } from "@sinclair/typebox";
import {
  BLANK_INTEGRATION,
  BLANK_WORKSPACE,
  type Caller,
  definePlugin,
  headerClasses,
  Integrations,
  OwnedIdRecords,
  isJson,
  type Json,
  type MountedOperation,
  Providers,
  scopesOf,
  Workspaces,
} from "#contract";
import { forgetting } from "../../plugins/api/responses/forgetting.ts";
import { registry } from "../../core/generated/registry.ts";
import { serveGeneration } from "../../core/http/server.ts";
import { ownKeys } from "../../core/kernel/secrets/own-keys.ts";
import { STEP_LIMITS } from "../../core/kernel/life.ts";
import { bootWith, type Given, PROFILE, rowOf } from "../kit/deployment.ts";
import { verifies } from "../requirements/verifies.ts";

/* ── two workspaces, each with a saved provider of the same credential ─────────────────────────────────────────── */

const ORGANISATION = crypto.randomUUID();
const MAKER = crypto.randomUUID();
const OTHER = crypto.randomUUID();
/** Knows a workspace's key by the workspace's id. */
const doorman: Given = {
  manifest: { kind: "policy", id: "workspaces" },
  module: () => ({
    default: definePlugin({
      kind: "policy",
      config: Type.Object({}),
      needs: [],
      setup: () => ({ provides: { identify: ({ key }): Caller => callerOf(key) } }),
    }),
  }),
};
const callerOf = (key: string): Caller => ({
  ...{ organisationId: ORGANISATION, workspaceId: key === ORGANISATION ? null : key, keyId: key, keyName: "tried" },
  ...{ keyType: key === ORGANISATION ? "organisation-service" : "workspace-service", userId: null },
  ...{ scopes: new Set(scopesOf("workspace-service")), metadata: {}, configId: null, allowConfigOverride: true },
});
const built = await bootWith([], {
  registry: [...registry, rowOf(doorman)],
  profile: {
    ...PROFILE,
    plugins: { "storage/sqlite": { enabled: false } },
    order: ["policy/workspaces", "policy/api-key", "policy/rate-limit"],
  },
  limits: STEP_LIMITS,
});
const { generation } = built;
const served = serveGeneration(generation, {
  ...{ maxJsonBytes: 1_000_000, maxDepth: 64, headers: headerClasses([]), isLoop: () => false },
  ...{ ownKeys: ownKeys({ digest: (text) => text }), now: Date.now, log: () => undefined, redact: (value) => value },
});
afterAll(async () => {
  await served.gateway.close();
  await built.end();
});

const stamps = () => ({ id: crypto.randomUUID(), created_at: Date.now(), last_updated_at: Date.now(), organisation_id: ORGANISATION });
async function saveProvider(slug: string, workspaceId: string, key: string): Promise<void> {
  const { records } = generation.stores;
  const integration = {
    ...stamps(),
    ...{ workspace_id: null, owner_id: ORGANISATION, ai_provider_id: "sandbox", name: slug, slug: crypto.randomUUID(), description: null },
    ...{
      status: "active" as const,
      key_sealed: generation.vault.seal(key),
      masked_key: "…",
      ...BLANK_INTEGRATION,
      configurations: {},
      tags: {},
    },
  };
  await records.in(Integrations).insert(integration);
  await records.in(Providers).insert({
    ...stamps(),
    ...{ workspace_id: workspaceId, integration_id: integration.id, name: slug, slug, note: null, status: "active" as const },
    ...{ usage_limits: null, rate_limits: [], expires_at: null, tags: {} },
  });
}
for (const workspaceId of [MAKER, OTHER]) await saveProvider("shared", workspaceId, "sk-the-one-that-both-have");
await saveProvider("alone", OTHER, "sk-of-nobody-else");

/* ── how an operation is asked ─────────────────────────────────────────────────────────────────────────────────── */

interface RequestOptions {
  readonly as: string;
  readonly provider?: string;
  readonly id?: string;
  readonly body?: Json;
  readonly config?: Json;
  /** Below which path; default: `/v1`. */
  readonly below?: string;
}
function ask(
  row: MountedOperation,
  { as, provider = "@shared", id = "none", body, config, below = row.prefix ?? "/v1" }: RequestOptions,
): Promise<Response> {
  const sent = sentBy(row, body);
  const headers = {
    "x-gateway-api-key": as,
    ...(config ? { "x-gateway-config": JSON.stringify(config) } : { "x-gateway-provider": provider }),
    ...(typeof sent === "string" && { "content-type": "application/json" }),
  };
  const url = `http://localhost${below}${row.path.replace(/(?<=\/):\w+/g, encodeURIComponent(id))}`;
  return Promise.resolve(served.fetch(new Request(url, { method: row.method, headers, ...(sent !== undefined && { body: sent }) })));
}
/** Forms that may come as JSON are asked so where a test says what is in them. */
function sentBy({ id, body: kind }: MountedOperation, body: Json | undefined): string | FormData | undefined {
  if (kind === "none") return undefined;
  const isForm = kind === "form" && (body === undefined || generation.operations.get(id)?.json === undefined);
  return isForm ? fileForm(body) : JSON.stringify(body ?? {});
}
interface AskingPath extends Pick<RequestOptions, "as" | "body"> {
  readonly method: string;
}
function askPath(path: string, { as, method, body }: AskingPath): Promise<Response> {
  const headers = { "x-gateway-api-key": as, "x-gateway-provider": "@shared", ...(body && { "content-type": "application/json" }) };
  return Promise.resolve(
    served.fetch(new Request(`http://localhost${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })),
  );
}
function fileForm(fields: Json = {}): FormData {
  const form = new FormData();
  for (const [name, value] of Object.entries(fields)) if (typeof value === "string") form.set(name, value);
  form.set("purpose", "batch");
  form.set("file", new File(["{}"], "lines.jsonl"));
  return form;
}
async function jsonOf(answer: Promise<Response>): Promise<{ status: number; body: Json }> {
  const response = await answer;
  const text = await response.text();
  const body: unknown = text.startsWith("{") ? JSON.parse(text) : {};
  return { status: response.status, body: isJson(body) ? body : {} };
}
const NOT_THERE = "There is no object with the id";
const isNotThere = ({ status, body }: { status: number; body: Json }): boolean =>
  status === 404 && isJson(body["error"]) && String(body["error"]["message"]).startsWith(NOT_THERE);

/** A step that may be read in two ways passes to nobody. */
const isTwoWays = ({ status, body }: { status: number; body: Json }): boolean =>
  status === 400 && JSON.stringify(body).includes("servers read such paths in different ways");

const rowOfOperation = (id: string): MountedOperation => generation.operations.get(id)?.row ?? expect.unreachable();
const upload = async (as: string, provider?: string): Promise<string> =>
  String((await jsonOf(ask(rowOfOperation("uploadFile"), { as, ...(provider && { provider }) }))).body["id"]);
const MADE = await upload(MAKER);
/** Of the other workspace: what else a body names is its own. */
const OWN = await upload(OTHER);

/** Every place in which a body may name an id, in one body: `id` is asked for each of them. */
const bodyWith = (id: (place: string) => string): Json => {
  const parts = [
    { type: "file", file: { file_id: id("file") } },
    { type: "image_file", image_file: { file_id: id("image_file") } },
    { type: "document", source: { type: "file", file_id: id("source") } },
    { type: "input_file", file_id: id("input_file") },
    { type: "tool_result", tool_use_id: "t", content: [{ type: "image", source: { type: "file", file_id: id("result") } }] },
  ];
  return {
    ...{ model: "sandbox-echo", max_tokens: 5, prompt: "x", query: "x", documents: ["x"], voice: "alloy", name: "x" },
    messages: [{ role: "user", content: parts }],
    input: [{ role: "user", content: parts }],
    role: "user",
    content: parts,
    images: [{ file_id: id("images") }],
    mask: { file_id: id("mask") },
    ...{ input_file_id: id("input_file_id"), training_file: id("training_file"), validation_file: id("validation_file") },
    ...{ previous_response_id: id("previous_response_id"), file_id: id("file_id"), file_ids: [id("file_ids")] },
    ...{ assistant_id: id("assistant_id"), thread_id: id("thread_id"), vector_store_ids: [id("vector_store_ids")] },
    attachments: [{ file_id: id("attachments") }],
    files: [{ file_id: id("files") }],
    document: { type: "file", file_id: id("document") },
    tools: [{ type: "file_search", vector_store_ids: [id("tools")] }],
    tool_resources: { file_search: { vector_store_ids: [id("resources")] }, code_interpreter: { file_ids: [id("code_files")] } },
    ...{ endpoint: "/v1/chat/completions", completion_window: "24h" },
    ...{ tool_outputs: [{ tool_call_id: "call_1", output: "x" }], attributes: {} },
  };
};
/** The same in the Gemini API's form. */
const geminiWith = (id: (place: string) => string): Json => {
  const parts = [
    { text: "x" },
    { fileData: { fileUri: id("fileUri") } },
    { functionResponse: { parts: [{ fileData: { fileUri: id("gave") } }] } },
  ];
  const content = { role: "user", parts };
  return {
    ...{
      content,
      contents: [content],
      requests: [{ content }],
      systemInstruction: { parts: [{ fileData: { fileUri: id("instruction") } }] },
    },
    ...{ cachedContent: id("cachedContent"), tools: [{ fileSearch: { fileSearchStoreNames: [id("store")] } }] },
  };
};
type Builder = typeof bodyWith;
const builderOf = ({ prefix }: MountedOperation): Builder => (prefix === undefined ? bodyWith : geminiWith);
const PLACES = new Set<string>();
for (const build of [bodyWith, geminiWith]) build((place) => String(PLACES.add(place)));

const owned = [...generation.operations.values()].map(({ row }) => row).filter((row) => row.owned !== undefined);

describe("an id that was made for one workspace", () => {
  const withIds = owned.filter(({ owned: { params, named } = {} }) => params || named);
  test.each(withIds.map((row) => [row.id, row] as const))(
    verifies("D7.owned.across", "is 404 for another one with the same credential: %s"),
    async (_, row) => {
      const { params, named } = row.owned ?? {};
      const bodyWith = builderOf(row);
      const places = named ? [...PLACES].filter((place) => named(bodyWith((at) => (at === place ? MADE : OWN))).includes(MADE)) : [];
      expect(places.length > 0).toBe(named !== undefined); // a place that is not above is written there
      const bodies = places.map((place) => (id: string) => ({ id: OWN, body: bodyWith((at) => (at === place ? id : OWN)) }));
      const ways = [...bodies, ...(params ? [(id: string) => ({ id, ...(row.body === "json" && { body: bodyWith(() => OWN) }) })] : [])];
      for (const named of ways)
        for (const id of [MADE, encodeURIComponent(MADE.replace("f", "%66"))]) {
          const asked = await jsonOf(ask(row, { as: OTHER, ...named(id) }));
          expect({ asked, notThere: isNotThere(asked) }).toEqual({ asked, notThere: true });
          const passed = row.prefix === undefined ? await jsonOf(ask(row, { as: OTHER, below: "/v1/proxy", ...named(id) })) : asked;
          expect({ passed, notThere: isNotThere(passed) || isTwoWays(passed) }).toEqual({ passed, notThere: true });
        }
    },
  );
  test.each([
    ["a path of nobody's", "GET", (id: string) => `/v1/proxy/own/${id}/parts`],
    ["a mounted path in other letters", "GET", (id: string) => `/v1/proxy/Files/${id}/`],
    ["one that is encoded", "GET", (id: string) => `/v1/%66iles/${id}`],
    ["another method", "PUT", (id: string) => `/v1/files/${id}`],
    ["a step before a mounted path", "DELETE", (id: string) => `/v1/proxy/v1/files/${id}`],
    ["a verb behind it", "POST", (id: string) => `/v1/proxy/own/${id}:run`],
    ["a query", "GET", (id: string) => `/v1/proxy/own?file=${id}`],
    ["a body", "POST", () => "/v1/proxy/own"],
  ] as const)(verifies("D7.15.tenants", "is 404 for another one below /v1/proxy too: %s"), async (what, method, path) => {
    const body = what === "a body" ? { deep: [{ file_ids: [MADE] }] } : undefined;
    const by = (as: string) => jsonOf(askPath(path(MADE), { as, method, ...(body && { body }) }));
    const [other, maker] = [await by(OTHER), await by(MAKER)];
    expect({ other, notThere: isNotThere(other) }).toEqual({ other, notThere: true });
    expect({ maker, notThere: isNotThere(maker) }).toEqual({ maker, notThere: false });
  });
  test(verifies("D7.15.tenants", "is made and listed for its own alone, whatever it is of"), async () => {
    const made = await jsonOf(askPath("/v1/proxy/films", { as: MAKER, method: "POST", body: { title: "One" } }));
    const id = String(made.body["id"]);
    expect((await jsonOf(askPath(`/v1/films/${id}`, { as: MAKER, method: "GET" }))).status).toBe(200);
    expect(isNotThere(await jsonOf(askPath(`/v1/films/${id}`, { as: OTHER, method: "GET" })))).toBe(true);
    expect(isNotThere(await jsonOf(askPath("/v1/films/film_68d7512d07848190b3e45da0", { as: OTHER, method: "GET" })))).toBe(true);
    const listed = async (as: string) => (await jsonOf(askPath("/v1/proxy/files", { as, method: "GET" }))).body["data"];
    expect(await listed(MAKER)).toEqual(expect.arrayContaining([expect.objectContaining({ id: MADE })]));
    expect(await listed(OTHER)).toEqual([expect.objectContaining({ id: OWN })]);
  });
  test.each(withIds.filter(({ method }) => method !== "DELETE").map((row) => [row.id, row] as const))(
    "is there for its own: %s",
    async (_, row) => {
      const asked = await jsonOf(ask(row, { as: MAKER, id: MADE, ...(row.body === "json" && { body: builderOf(row)(() => MADE) }) }));
      expect({ asked, notThere: isNotThere(asked) }).toEqual({ asked, notThere: false });
    },
  );
});

test("an id that was made with a credential of the client's own is 404 for another workspace that brings the same one", async () => {
  const id = await upload(MAKER, "sandbox");
  const retrieve = rowOfOperation("retrieveFile");
  expect((await jsonOf(ask(retrieve, { as: MAKER, provider: "sandbox", id }))).status).toBe(200);
  expect(isNotThere(await jsonOf(ask(retrieve, { as: OTHER, provider: "sandbox", id })))).toBe(true);
});
test("a key of the organisation itself is another one than its workspaces'", async () => {
  const retrieve = rowOfOperation("retrieveFile");
  const seenBy = (as: string, id: string) => jsonOf(ask(retrieve, { as, provider: "sandbox", id }));
  const ofOrganisation = await upload(ORGANISATION, "sandbox");
  const ofWorkspace = await upload(MAKER, "sandbox");
  expect((await seenBy(ORGANISATION, ofOrganisation)).status).toBe(200);
  expect(isNotThere(await seenBy(MAKER, ofOrganisation))).toBe(true);
  expect(isNotThere(await seenBy(ORGANISATION, ofWorkspace))).toBe(true);
});
test("an id that the config puts into the body is asked for like one of the client's", async () => {
  const config = { provider: "@shared", override_params: { input_file_id: MADE } };
  const body = { input_file_id: OWN };
  expect(isNotThere(await jsonOf(ask(rowOfOperation("createBatch"), { as: OTHER, config, body })))).toBe(true);
  expect((await jsonOf(ask(rowOfOperation("createBatch"), { as: MAKER, config, body }))).status).toBe(200);
});
test("a target whose credential does not know the id leaves it to the next one", async () => {
  await saveProvider("besides", MAKER, "sk-of-both-besides");
  await saveProvider("besides", OTHER, "sk-of-both-besides");
  const config = { strategy: { mode: "fallback" }, targets: [{ provider: "@besides" }, { provider: "@shared" }] };
  const retrieve = rowOfOperation("retrieveFile");
  expect((await jsonOf(ask(retrieve, { as: MAKER, config, id: MADE }))).body).toMatchObject({ id: MADE });
  expect(isNotThere(await jsonOf(ask(retrieve, { as: OTHER, config, id: MADE })))).toBe(true);
});
test(verifies("D7.owned.retention", "an id whose owner was deleted for its age is there for its own, and for nobody else"), async () => {
  const config = { provider: "sandbox", api_key: "sk-that-a-client-brings" };
  const id = String((await jsonOf(ask(rowOfOperation("uploadFile"), { as: MAKER, config }))).body["id"]);
  const stored = generation.stores.records.in(OwnedIdRecords);
  const { data } = await stored.list({ orderBy: { by: "created_at", direction: "desc" }, limit: 1, offset: 0 });
  await stored.update(data[0]?.id ?? "", { keeping: "temporary", created_at: 1 });
  await forgetting({ records: stored, log: () => undefined, now: Date.now, days: 90 }).run(new AbortController().signal);
  expect(await stored.get(data[0]?.id ?? "")).toBeUndefined();
  const seen = (as: string) => jsonOf(ask(rowOfOperation("retrieveFile"), { as, config, id }));
  expect(isNotThere(await seen(OTHER))).toBe(true);
  expect((await seen(MAKER)).status).toBe(200);
});
test("an id is forgotten when its thing is deleted", async () => {
  const id = await upload(MAKER);
  expect((await jsonOf(ask(rowOfOperation("deleteFile"), { as: MAKER, id }))).body).toMatchObject({ deleted: true });
  expect(isNotThere(await jsonOf(ask(rowOfOperation("retrieveFile"), { as: MAKER, id })))).toBe(true);
});

describe("what an answer makes", () => {
  /** What the sandbox serves by translation is nothing that it keeps. */
  const served = generation.providers.get("sandbox")?.provides.operations ?? {};
  const making = owned.filter(({ id, owned: { made, lists } = {} }) => made && !lists && Object.hasOwn(served, id));
  /** A run needs an assistant that is there; other ids need only be the maker's. */
  const assistant = jsonOf(ask(rowOfOperation("createAssistant"), { as: MAKER, body: { model: "sandbox-echo" } })).then(({ body }) =>
    String(body["id"]),
  );
  const forMaker = async (row: MountedOperation) => {
    const of = await assistant;
    const body = bodyWith((place) => (place === "assistant_id" ? of : MADE));
    return jsonOf(ask(row, { as: MAKER, id: MADE, ...(row.body === "json" && { body }) }));
  };
  test.each(making.map((row) => [row.id, row] as const))("belongs to whom it was made for: %s", async (_, row) => {
    const { status, body } = await forMaker(row);
    if (status >= 300) return void expect(row.body).toBe("none"); // there is nothing of that id to be read
    const ids = row.owned?.made?.(body) ?? [];
    if (row.method === "POST" && !row.path.includes(":")) expect(ids.length).toBeGreaterThan(0);
    for (const id of ids) {
      expect(isNotThere(await jsonOf(ask(rowOfOperation("retrieveFile"), { as: MAKER, id })))).toBe(false);
      expect(isNotThere(await jsonOf(ask(rowOfOperation("retrieveFile"), { as: OTHER, id })))).toBe(true);
    }
  });
  test.each(owned.filter((row) => row.owned?.lists === true).map((row) => [row.id, row] as const))(
    verifies("D7.owned.lists", "is left out of another's list: %s"),
    async (_, row) => {
      const idsFor = async (as: string): Promise<readonly unknown[]> => {
        const { status, body } = await jsonOf(ask(row, { as, id: as === MAKER ? MADE : OWN }));
        expect(status).toBe(200);
        const { data } = body;
        return Array.isArray(data) ? data.map((thing: unknown) => (isJson(thing) ? thing["id"] : thing)) : [];
      };
      const ofMaker = await idsFor(MAKER);
      expect((await idsFor(OTHER)).filter((id) => ofMaker.includes(id))).toEqual([]);
    },
  );
  test("is known in the lists of files", async () => {
    const listFor = async (as: string) => (await jsonOf(ask(rowOfOperation("listFiles"), { as }))).body;
    const [maker, other] = [await listFor(MAKER), await listFor(OTHER)];
    expect(maker).toMatchObject({ data: expect.arrayContaining([expect.objectContaining({ id: MADE })]) });
    expect(other).toMatchObject({ data: [{ id: OWN }], first_id: OWN, last_id: OWN, has_more: false });
  });
});

describe(verifies("D7.owned.unrecorded", "what nobody recorded"), () => {
  const batch = rowOfOperation("retrieveBatch");
  test("is there where one workspace has the credential, and for who brings a credential of his own", async () => {
    expect((await jsonOf(ask(batch, { as: OTHER, provider: "@alone", id: "batch_of_before" }))).status).toBe(200);
    expect((await jsonOf(ask(batch, { as: OTHER, provider: "sandbox", id: "batch_of_before" }))).status).toBe(200);
  });
  test("is not there for the gateway's own identity, which every workspace may use", async () => {
    for (const id of [MAKER, OTHER])
      await generation.stores.records.in(Workspaces).insert({ ...stamps(), id, name: id, slug: id, ...BLANK_WORKSPACE });
    const target = { provider: "azure-openai", azure_resource_name: "contoso" };
    const asked = (more: Json) => jsonOf(ask(batch, { as: OTHER, config: { ...target, ...more }, id: "batch_of_before" }));
    expect(isNotThere(await asked({ azure_auth_mode: "workload" }))).toBe(true);
    expect(isNotThere(await asked({ api_key: "of-the-client" }))).toBe(false); // there is no network: it got as far as that
  });
  test("is not there where two have it, and no more once a second one gets it", async () => {
    expect(isNotThere(await jsonOf(ask(batch, { as: OTHER, id: "batch_of_before" })))).toBe(true);
    await saveProvider("second", MAKER, "sk-of-nobody-else");
    const later = await jsonOf(ask(batch, { as: OTHER, provider: "@alone", id: "batch_of_others" }));
    expect({ later, notThere: isNotThere(later) }).toEqual({ later, notThere: true });
  });
});

test("a body may name many ids, and not more than a thousand different ones", async () => {
  const naming = (count: number): Json => ({
    model: "sandbox-echo",
    messages: [
      { role: "user", content: Array.from({ length: count }, (_, index) => ({ type: "file", file: { file_id: `file-${index}` } })) },
    ],
  });
  const chat = rowOfOperation("chatComplete");
  expect(isNotThere(await jsonOf(ask(chat, { as: OTHER, body: naming(1_000) })))).toBe(true);
  expect((await jsonOf(ask(chat, { as: OTHER, body: naming(1_001) }))).status).toBe(400);
  const repeated = {
    model: "sandbox-echo",
    messages: [{ role: "user", content: Array.from({ length: 5_000 }, () => ({ type: "file", file: { file_id: OWN } })) }],
  };
  expect(isNotThere(await jsonOf(ask(chat, { as: OTHER, body: repeated })))).toBe(false);
  const long = { ...naming(0), messages: [{ role: "user", content: [{ type: "file", file: { file_id: "x".repeat(900_000) } }] }] };
  const answer = await jsonOf(ask(chat, { as: OTHER, body: long }));
  expect([answer.status, JSON.stringify(answer.body).length < 1_000]).toEqual([400, true]);
});
