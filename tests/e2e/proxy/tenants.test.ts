/** Two workspaces on one credential: what one of them makes below /v1/proxy is not there for the other, whatever its provider calls it. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { jsonAnswer, type ReplayServer, replayServer } from "../../kit/replay.ts";
import { verifies } from "../../requirements/verifies.ts";
import { itemsOf } from "../endpoints/api.ts";
import { plantTenant } from "../endpoints/tenant.ts";
import { ADMIN_KEY, ask, GATEWAY_KEY, type GatewayProcess, startGateway } from "../process.ts";

type Json = Readonly<Record<string, unknown>>;
let upstream: ReplayServer;
let gateway: GatewayProcess;
let otherKey: string;
/** What the provider keeps, by its path; a POST makes one there. */
let made: unknown;
const admin = async (path: string, body: Json): Promise<void> =>
  expect((await ask(gateway.base + path, "POST", ADMIN_KEY, body)).status).toBe(200) as unknown as void;

beforeAll(async () => {
  upstream = replayServer(jsonAnswer({}));
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
  const organisationId = String(itemsOf(await ask(`${gateway.base}/v2/api-keys`, "GET", ADMIN_KEY))[0]?.["organisation_id"]);
  const other = await plantTenant({ dataDir: gateway.dataDir, organisationId, slug: "second" });
  otherKey = other.gatewayKey;
  for (const id of ["google", "mistral-ai"]) {
    const configurations = { custom_host: `${upstream.url}/v1` };
    const key = `sk-of-both-${id}-0123456789`;
    await admin("/admin/v2/integrations", {
      ...{ name: id, slug: id, ai_provider_id: id, key, create_default_provider: false },
      configurations,
    });
    for (const workspace_id of ["default", other.workspaceId])
      await admin("/v2/providers", { name: id, slug: id, workspace_id, integration_id: id });
  }
}, 30_000);
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});
beforeEach(() => void upstream.answer(() => jsonAnswer(JSON.stringify(made))));

interface Sent {
  readonly method?: string;
  readonly body?: Json | string;
  readonly type?: string;
  readonly provider?: string;
  readonly headers?: Readonly<Record<string, string>>;
}
async function send(as: string, path: string, { method = "GET", body, type, provider = "@google", headers }: Sent = {}) {
  const bytes = body === undefined ? null : new TextEncoder().encode(typeof body === "string" ? body : JSON.stringify(body));
  const before = upstream.received.length;
  const answer = await fetch(`${gateway.base}/v1/proxy${path}`, {
    method,
    headers: {
      "x-gateway-api-key": as,
      "x-gateway-provider": provider,
      ...(bytes && type !== "" && { "content-type": type ?? "application/json" }),
      ...headers,
    },
    body: bytes,
  });
  return { status: answer.status, text: await answer.text(), reached: upstream.received.length > before };
}
const NOT_THERE = { status: 404, reached: false, text: expect.stringContaining("There is no object with the id") as string };
async function post(as: string, path: string, answer: unknown, provider?: string): Promise<void> {
  made = answer;
  expect((await send(as, path, { method: "POST", body: {}, ...(provider && { provider }) })).status).toBe(200);
}
const FILE = { name: "files/k3jd8f0s2l4x", uri: "https://generativelanguage.googleapis.com/v1beta/files/k3jd8f0s2l4x" };
const OTHERS_FILE = { name: "files/qwertyuiopas" };
const CACHE = { name: "cachedContents/abcdefghij123456xyz", model: "models/gemini-2.0-flash" };
const MISTRAL = { id: "e85980c9-409e-4a46-9304-36588f6292b0", object: "file" };

describe("what is made through a credential that two workspaces share", () => {
  const MADE = [
    ["a file of Google's", "@google", "/upload/v1beta/files", { file: FILE }, "/v1beta/files/k3jd8f0s2l4x", { files: [FILE, OTHERS_FILE] }],
    ["one of words", "@google", "/v1beta/files", { file: OTHERS_FILE }, "/v1beta/files/qwertyuiopas", { files: [OTHERS_FILE] }],
    ["a cached content", "@google", "/v1beta/cachedContents", CACHE, `/v1beta/${CACHE.name}`, { cachedContents: [CACHE] }],
    [
      "an operation",
      "@google",
      "/v1beta/x",
      { name: "models/veo/operations/a1b2c3d4e5f6" },
      "/v1beta/models/veo/operations/a1b2c3d4e5f6",
      { operations: [{ name: "models/veo/operations/a1b2c3d4e5f6" }] },
    ],
    ["a thing in a bare list", "@mistral-ai", "/own", MISTRAL, `/own/${MISTRAL.id}`, [MISTRAL]],
    [
      "what another member names",
      "@mistral-ai",
      "/jobs",
      { job_id: "job-0123456789abcdef" },
      "/jobs/job-0123456789abcdef",
      { jobs: [{ job_id: "job-0123456789abcdef" }], total: 1 },
    ],
  ] as const;
  test.each(MADE)(verifies("D7.15.tenants", "%s is there and listed for its maker alone"), async (_, provider, path, answer, at, list) => {
    await post(GATEWAY_KEY, path, answer, provider);
    made = answer;
    expect((await send(GATEWAY_KEY, at, { provider })).status).toBe(200);
    for (const method of ["GET", "DELETE", "PATCH"]) expect(await send(otherKey, at, { provider, method })).toMatchObject(NOT_THERE);
    made = list;
    const name = at.split("/").at(-1) ?? "";
    const listed = async (as: string) => (await send(as, `${at.slice(0, at.lastIndexOf("/"))}-list`, { provider })).text;
    expect(await listed(GATEWAY_KEY)).toContain(name);
    expect(await listed(otherKey)).not.toContain(name);
  });
  test.each([
    ["DELETE", "/v1beta/files/zzzzzzzzzzz9"],
    ["GET", "/v1beta/files/zzzzzzzzzzzz:download"],
    ["GET", "/v1beta/cachedContents/1234567"],
    ["GET", "/v1beta/own?name=files/zzzzzzzzzzz9"],
  ])("what nobody recorded is not there: %s %s", async (method, path) => {
    made = {};
    expect(await send(otherKey, path, { method })).toMatchObject(NOT_THERE);
  });
  test.each([
    { cachedContent: CACHE.name },
    { contents: [{ parts: [{ fileData: { fileUri: FILE.uri } }] }] },
    { contents: [{ parts: [{ file_data: { file_uri: `${FILE.uri}?alt=media` } }] }] },
    { names: [FILE.name] },
    { nested: [{ deep: { file_id: FILE.name } }] },
  ])("is not there for another's body: %j", async (body) => {
    await post(GATEWAY_KEY, "/v1beta/cachedContents", CACHE);
    await post(GATEWAY_KEY, "/upload/v1beta/files", { file: FILE });
    const asked = { method: "POST", body };
    expect(await send(otherKey, "/v1beta/own:run", asked)).toMatchObject(NOT_THERE);
    expect((await send(GATEWAY_KEY, "/v1beta/own:run", asked)).status).toBe(200);
  });
  test("is not there for a body at a mounted path that is in its provider's own form", async () => {
    await post(GATEWAY_KEY, "/own", MISTRAL, "@mistral-ai");
    const body = { model: "open-mistral-7b", training_files: [{ file_id: MISTRAL.id, weight: 1 }], hyperparameters: {} };
    const asked = { method: "POST", body, provider: "@mistral-ai" };
    expect(await send(otherKey, "/fine_tuning/jobs", asked)).toMatchObject(NOT_THERE);
    expect((await send(GATEWAY_KEY, "/fine_tuning/jobs", asked)).status).toBe(200);
  });
  test("calls of tools are nobody's", async () => {
    made = {};
    const messages = [{ role: "tool", tool_call_id: "call_8fK2mZ0qLx7RtY4wVb1Nc3Jd", content: "x" }];
    const asked = { method: "POST", body: { messages }, provider: "@mistral-ai" };
    expect((await send(otherKey, "/deployments/x/chat", asked)).status).toBe(200);
  });
  test("is left out of a mounted list that its provider answers in a form of its own", async () => {
    await post(GATEWAY_KEY, "/upload/v1beta/files", { file: FILE });
    made = { files: [FILE] };
    expect((await send(GATEWAY_KEY, "/files")).text).toBe(JSON.stringify(made));
    expect((await send(otherKey, "/files")).text).toBe('{"files":[]}');
  });
  test("models and words in lists are everybody's", async () => {
    made = { models: [{ name: "models/gemini-2.0-flash" }, { name: "tunedModels/of-all" }], other: [{ id: "gpt-4o" }], n: [1, "x"] };
    expect((await send(otherKey, "/v1beta/own-models")).text).toBe(JSON.stringify(made));
  });
  test(verifies("D7.15.tenants", "a list that cannot be read does not pass"), async () => {
    upstream.answer(jsonAnswer(`[{"id":"${MISTRAL.id}"}`));
    const refused = await send(otherKey, "/own", { provider: "@mistral-ai" });
    expect([refused.status, refused.text]).toEqual([502, expect.stringContaining("several workspaces share")]);
    const ofItsOwn = { authorization: "Bearer sk-own", "x-gateway-custom-host": `${upstream.url}/v1` };
    expect((await send(otherKey, "/own", { provider: "openai", headers: ofItsOwn })).status).toBe(200);
  });
});

describe("who touches a thing", () => {
  test(verifies("D7.15.tenants", "claims no word for himself"), async () => {
    await post(GATEWAY_KEY, "/own", { id: "gpt-4o", name: "notes", model_id: "large" }, "@mistral-ai");
    for (const word of ["gpt-4o", "notes", "large"])
      expect((await send(otherKey, `/own/${word}`, { provider: "@mistral-ai" })).status).toBe(200);
  });
  test("claims nothing that is another's", async () => {
    await post(GATEWAY_KEY, "/own", MISTRAL, "@mistral-ai");
    await post(otherKey, "/search", { id: "search-0123456789abcdef", file_id: MISTRAL.id }, "@mistral-ai");
    expect(await send(otherKey, `/own/${MISTRAL.id}`, { provider: "@mistral-ai" })).toMatchObject(NOT_THERE);
  });
});

describe("a body that nobody reads", () => {
  const BODY = JSON.stringify({ file_id: MISTRAL.id });
  test.each(["text/plain", "", "application/x-www-form-urlencoded", "application/x-own"])(
    verifies("D7.15.tenants", "does not pass with a shared credential: %s"),
    async (type) => {
      made = {};
      const refused = await send(otherKey, "/own", { method: "POST", body: BODY, type, provider: "@mistral-ai" });
      expect(refused).toMatchObject({ status: 400, reached: false, text: expect.stringContaining("application/json") });
      const ofItsOwn = { authorization: "Bearer sk-own", "x-gateway-custom-host": `${upstream.url}/v1` };
      expect((await send(otherKey, "/own", { method: "POST", body: BODY, type, provider: "openai", headers: ofItsOwn })).status).toBe(200);
    },
  );
  test.each(["application/octet-stream", "audio/mpeg", "application/pdf", "multipart/related; boundary=b"])(
    "passes where it is an upload: %s",
    async (type) => {
      made = {};
      expect((await send(otherKey, "/own", { method: "POST", body: "bytes", type, provider: "@mistral-ai" })).status).toBe(200);
    },
  );
});

test("a request that brings its key may name as many things as it likes", async () => {
  made = {};
  const body = { list: Array.from({ length: 1_500 }, (_, at) => ({ id: `row-${at}` })) };
  const ofItsOwn = { authorization: "Bearer sk-own", "x-gateway-custom-host": `${upstream.url}/v1` };
  expect((await send(otherKey, "/own", { method: "POST", body, provider: "openai", headers: ofItsOwn })).status).toBe(200);
  expect((await send(otherKey, "/own", { method: "POST", body, provider: "@mistral-ai" })).status).toBe(400);
});
