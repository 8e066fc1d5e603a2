import { generateKeyPairSync } from "node:crypto";
import { beforeAll, describe, expect, test } from "bun:test";
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import { type Collected, GatewayError, type Json, type OutgoingRequest, type Provider, type StreamMap, UpstreamFailure } from "#contract";
import { collect } from "../../core/pipeline/stream/fold.ts";
import { accessTokens } from "../../providers/vertex-ai/access-token.ts";
import plugin from "../../providers/vertex-ai/index.ts";
import manifest from "../../providers/vertex-ai/manifest.json";
import type { ServiceAccount } from "../../providers/vertex-ai/service-account.ts";
import { type FakeHost, fakeHost } from "../kit/host.ts";
import { ask, testProvider } from "../kit/provider.ts";
import { recordedLines, recording, recordings, sayIfMissing, sseWire } from "../kit/recordings.ts";
import { eventsOf, testStream } from "../kit/stream.ts";
import { type RecordedAnswer, saidByBody, saidByStream, type Wire } from "../e2e/recorded.ts";

const PROJECT = { vertex_project_id: "acme-1", vertex_region: "us-central1" };
const GEMINI = "gemini-2.5-flash";
const CLAUDE = "anthropic.claude-sonnet-4-5@20250929";
const hi = { role: "user", content: "Hi" };

interface World {
  readonly provider: Provider;
  readonly sent: FakeHost<"net:*">["sent"];
  readonly clock: { now: number };
}
async function world(answer?: (request: Request) => Response | Promise<Response>): Promise<World> {
  const { host, sent, clock } = await fakeHost(["net:*"], { id: "vertex-ai", ...(answer && { fetch: answer }) });
  return { provider: (await plugin.setup(host, {})).provides, sent, clock };
}
const { provider } = await world();
const chat = provider.operations.chatComplete ?? expect.unreachable();
const embed = provider.operations.embed ?? expect.unreachable();
const map = chat.stream as StreamMap<unknown>;
const target = (model: string, fields: Json = PROJECT, apiKey = "key") => ({ fields, apiKey, customHost: null, model });
const asking = (model: string, fields?: Json, stream = false) => ask("chatComplete", target(model, fields), { stream });
const sent = (body: Json, fields?: Json): Json => chat.request?.(body, asking(String(body.model), fields)) ?? body;
const pathOf = (model: string, fields?: Json, stream = false): string =>
  typeof chat.path === "function" ? chat.path({}, asking(model, fields, stream)) : "";

testProvider({ plugin, manifest: manifest as never, fields: { ...PROJECT, vertex_llm_request_type: "shared" } });

describe("Vertex AI is called", () => {
  test.each([
    ["us-central1", "https://us-central1-aiplatform.googleapis.com"],
    ["global", "https://aiplatform.googleapis.com"],
    ["us", "https://aiplatform.us.rep.googleapis.com"],
    ["eu", "https://aiplatform.eu.rep.googleapis.com"],
  ])("in the region %s at %s", (vertex_region, baseUrl) => {
    expect(provider.endpoint(target(GEMINI, { ...PROJECT, vertex_region }))).toEqual({ baseUrl, headers: { authorization: "Bearer key" } });
    expect(pathOf(GEMINI, { ...PROJECT, vertex_region })).toStartWith(`/v1/projects/acme-1/locations/${vertex_region}/publishers/`);
  });
  test.each([
    [GEMINI, false, "google/models/gemini-2.5-flash:generateContent"],
    [GEMINI, true, "google/models/gemini-2.5-flash:streamGenerateContent?alt=sse"],
    ["google.gemini-2.5-pro", false, "google/models/gemini-2.5-pro:generateContent"],
    [CLAUDE, false, "anthropic/models/claude-sonnet-4-5@20250929:rawPredict"],
    [CLAUDE, true, "anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict"],
    ["claude-opus-4-6", false, "anthropic/models/claude-opus-4-6:rawPredict"],
  ])("for %s (stream %p) at its publisher's method", (model, stream, rest) => {
    expect(pathOf(model, PROJECT, stream)).toBe(`/v1/projects/acme-1/locations/us-central1/publishers/${rest}`);
  });
  test("with the headers that choose the capacity", () => {
    const fields = { ...PROJECT, vertex_llm_request_type: "shared", vertex_llm_shared_request_type: "priority" };
    expect(provider.endpoint(target(GEMINI, fields)).headers).toMatchObject({
      "X-Vertex-AI-LLM-Request-Type": "shared",
      "X-Vertex-AI-LLM-Shared-Request-Type": "priority",
    });
  });
  test("in express mode with an API key, without project or region, and for Google's models only", () => {
    const express = { vertex_auth_type: "apiKey" };
    expect(provider.endpoint(target(GEMINI, express))).toEqual({
      baseUrl: "https://aiplatform.googleapis.com",
      headers: { "x-goog-api-key": "key" },
    });
    expect(pathOf(GEMINI, express)).toBe("/v1/publishers/google/models/gemini-2.5-flash:generateContent");
    expect(caught(() => pathOf(CLAUDE, express))).toMatchObject({ code: "TARGET_INVALID", param: "vertex_auth_type" });
  });
  test.each([
    ["vertex_project_id", { vertex_region: "us-central1" }],
    ["vertex_region", { vertex_project_id: "acme-1" }],
  ])("not without %s", (param, fields) => {
    expect(caught(() => pathOf(GEMINI, fields))).toMatchObject({ code: "TARGET_INVALID", param, message: expect.stringContaining(param) });
  });
  test.each([[""], ["../x"], ["a/b"], ["a?b=c"], ["a:predict"], ["anthropic."], ["anthropic.../x"]])(
    "not for a model called %p",
    (model) => {
      expect(caught(() => pathOf(model))).toMatchObject({ code: "REQUEST_INVALID", param: "model" });
    },
  );
  test.each([["meta.llama-4-maverick"], ["mistralai.mistral-large"], ["endpoints.123"]])(
    "not for %s, whose publisher is not served",
    (model) => {
      expect(caught(() => pathOf(model))).toMatchObject({
        code: "OPERATION_UNSUPPORTED",
        message: expect.stringContaining("google and anthropic"),
      });
    },
  );
});

describe("a request to Claude on Vertex AI", () => {
  test("has its version in the body, and its model in the URL only", () => {
    expect(sent({ model: CLAUDE, messages: [hi], max_tokens: 10 })).toEqual({
      anthropic_version: "vertex-2023-10-16",
      max_tokens: 10,
      messages: [hi],
    });
  });
  test("takes the version of the target or, before it, of the body; one of Anthropic's own API is not meant for Vertex", () => {
    const versionOf = (fields: Json, body: Json = {}) =>
      sent({ model: CLAUDE, messages: [hi], ...body }, { ...PROJECT, ...fields }).anthropic_version;
    expect(versionOf({ anthropic_version: "vertex-2027-01-01" })).toBe("vertex-2027-01-01");
    expect(versionOf({ anthropic_version: "vertex-2027-01-01" }, { anthropic_version: "vertex-2028-01-01" })).toBe("vertex-2028-01-01");
    expect(versionOf({ anthropic_version: "2023-06-01" })).toBe("vertex-2023-10-16");
  });
  test("knows the model's limits behind its publisher and date", () => {
    expect(sent({ model: CLAUDE, messages: [hi] }).max_tokens).toBe(64_000);
  });
  test("asks for a schema by a tool, because there is no structured output, and sends no output_config", () => {
    const body = { model: CLAUDE, messages: [hi], response_format: { type: "json_schema", json_schema: { name: "a", schema: SCHEMA } } };
    expect(sent({ ...body, output_config: { effort: "low" } })).toEqual({
      anthropic_version: "vertex-2023-10-16",
      max_tokens: 64_000,
      messages: [hi],
      tools: [{ name: "gateway_structured_answer", description: "Answer with this tool.", input_schema: SCHEMA }],
      tool_choice: { type: "tool", name: "gateway_structured_answer" },
    });
  });
  test("has the betas in a header, which Gemini does not get", () => {
    const fields = { ...PROJECT, anthropic_beta: "context-1m-2025-08-07" };
    expect(chat.headers?.({}, asking(CLAUDE, fields))).toEqual({ "anthropic-beta": "context-1m-2025-08-07" });
    expect(chat.headers?.({}, asking(GEMINI, fields))).toEqual({});
  });
});
const SCHEMA = { type: "object", properties: { ok: { type: "boolean" } } };

test("a Gemini request knows its family behind the publisher's name", () => {
  expect(sent({ model: "google.gemini-2.5-pro", messages: [hi], reasoning_effort: "low", safety_settings: [] })).toEqual({
    contents: [{ role: "user", parts: [{ text: "Hi" }] }],
    generationConfig: { thinkingConfig: { thinkingBudget: 1024 } },
    safety_settings: [],
  });
});

/* ── answers: both wires through one stream map ──────────────────────────────────────────────────────────────── */

const saidByAdapter = ({ choices: [choice], usage = {} }: Collected): RecordedAnswer => ({
  text: choice?.text ?? "",
  tools: (choice?.tools ?? []).map(({ name, arguments: text }) => ({ name, arguments: JSON.parse(text) as unknown })),
  finish: choice?.finish ?? "",
  usage: {
    input: (usage.input ?? 0) + (usage.cacheRead ?? 0) + (usage.cacheWrite5m ?? 0) + (usage.cacheWrite1h ?? 0),
    output: (usage.output ?? 0) + (usage.reasoning ?? 0),
    total: Object.values(usage).reduce((total: number, count) => total + Number(count), 0),
  },
});
const WIRES: readonly (readonly [folder: string, wire: Wire, model: string])[] = [
  ["google", "gemini", GEMINI],
  ["anthropic", "messages", CLAUDE],
];
const SPLICED = "anthropic/spliced-message-start.chunks.txt";

describe("recorded answers of both publishers", () => {
  sayIfMissing();
  for (const [folder, wire, model] of WIRES) {
    for (const path of recordings([folder], ".chunks.txt").filter((name) => name !== SPLICED)) {
      const bytes = sseWire(recordedLines(path), { named: wire === "messages" });
      testStream(path, map, bytes);
      test(`${path} says what its lines say`, () =>
        expect(saidByAdapter(collect(eventsOf(map, [new TextEncoder().encode(bytes)])))).toEqual(saidByStream(wire, recordedLines(path))));
    }
    for (const path of recordings([folder], ".json"))
      test(`${path} says what its body says`, () =>
        expect(saidByAdapter(collect(chat.reply?.(JSON.parse(recording(path)) as Json, asking(model)) ?? []))).toEqual(
          saidByBody(wire, recording(path)),
        ));
  }
});

const CLAUDE_EVENTS: readonly Json[] = [
  {
    type: "message_start",
    message: { id: "msg_vrtx_1", model: "claude-sonnet-4-5-20250929", usage: { input_tokens: 3, output_tokens: 1 } },
  },
  { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
  { type: "content_block_delta", index: 0, delta: { type: "text_delta", text: "Hello" } },
  { type: "content_block_stop", index: 0 },
  { type: "message_delta", delta: { stop_reason: "end_turn" }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];
const lines = (events: readonly Json[]): string[] => events.map((event) => JSON.stringify(event));
const read = (wire: string) => eventsOf(map, [new TextEncoder().encode(wire)]);

describe("a stream of Claude's", () => {
  const plain = read(sseWire(lines(CLAUDE_EVENTS), { named: true }));
  test("may begin with an event of Vertex's own, which says nothing", () => {
    expect(collect(plain).choices[0]?.text).toBe("Hello");
    expect(read(`event: vertex_event\ndata: {"quota":1}\n\n${sseWire(lines(CLAUDE_EVENTS), { named: true })}`)).toEqual(plain);
  });
  test("is known by its events' types where their names were lost", () => expect(read(sseWire(lines(CLAUDE_EVENTS)))).toEqual(plain));
});
test("an answer that is none is refused in the name of this provider", () => {
  for (const model of [GEMINI, CLAUDE])
    expect(caught(() => chat.reply?.({ hello: 1 }, asking(model)))).toMatchObject({
      code: "UPSTREAM_INVALID",
      message: expect.stringContaining("vertex-ai"),
    });
});
test("errors are read in Google's form, listed or not, and in Anthropic's", () => {
  const google = { error: { code: 429, message: "slow down", status: "RESOURCE_EXHAUSTED" } };
  for (const form of [google, [google]])
    expect(provider.error?.(429, form, {})).toEqual({ message: "slow down", type: "RESOURCE_EXHAUSTED", code: "429" });
  expect(provider.error?.(400, { type: "error", error: { type: "invalid_request_error", message: "no" } }, {})).toEqual({
    message: "no",
    type: "invalid_request_error",
  });
  expect(caught(() => read(`data: ${JSON.stringify(google)}\n\n`))).toMatchObject({ status: 429, error: { message: "slow down" } });
});

/* ── embeddings ──────────────────────────────────────────────────────────────────────────────────────────────── */

describe("embeddings on Vertex AI", () => {
  const at = (model: string) => ask("embed", target(model));
  test("predict one instance a text, and count its tokens", () => {
    const of = at("gemini-embedding-001");
    expect(typeof embed.path === "function" && embed.path({}, of)).toEndWith("/publishers/google/models/gemini-embedding-001:predict");
    const body = { model: "x", input: ["a", "b"], dimensions: 3, taskType: "CLUSTERING", auto_truncate: false, encoding_format: "float" };
    expect(embed.request?.(body, of)).toEqual({
      instances: ["a", "b"].map((content) => ({ content, task_type: "CLUSTERING" })),
      parameters: { outputDimensionality: 3, autoTruncate: false },
    });
    const answer = { predictions: [1, 2].map((value) => ({ embeddings: { values: [value], statistics: { token_count: value } } })) };
    expect(embed.usage?.(answer)).toEqual({ input: 3 });
    expect(embed.response?.(answer, of)).toEqual({
      object: "list",
      model: "gemini-embedding-001",
      data: [
        { object: "embedding", index: 0, embedding: [1] },
        { object: "embedding", index: 1, embedding: [2] },
      ],
      usage: { prompt_tokens: 3, total_tokens: 3 },
    });
  });
  test("embed one content with the newer models", () => {
    const of = at("gemini-embedding-2");
    expect(typeof embed.path === "function" && embed.path({}, of)).toEndWith("/gemini-embedding-2:embedContent");
    expect(embed.request?.({ input: "a", dimensions: 3, task_type: "CLUSTERING" }, of)).toEqual({
      content: { parts: [{ text: "a" }] },
      embedContentConfig: { outputDimensionality: 3, taskType: "CLUSTERING" },
    });
    const answer = { embedding: { values: [1] }, usageMetadata: { promptTokenCount: 2 } };
    expect(embed.response?.(answer, of)).toMatchObject({ data: [{ embedding: [1] }], usage: { prompt_tokens: 2 } });
    expect(caught(() => embed.request?.({ input: ["a", "b"] }, of))).toMatchObject({ code: "REQUEST_INVALID", param: "input" });
  });
  test("say so when no tokens are counted", () => {
    const answer = { predictions: [{ embeddings: { values: [1] } }] };
    expect(embed.usage?.(answer)).toBeUndefined();
    expect(embed.response?.(answer, at("gemini-embedding-001"))).toMatchObject({ usage: { prompt_tokens: -1, total_tokens: -1 } });
  });
  test("are for texts", () =>
    expect(caught(() => embed.request?.({ input: [[1, 2]] }, at("gemini-embedding-001")))).toMatchObject({ code: "REQUEST_INVALID" }));
});

/* ── service accounts ────────────────────────────────────────────────────────────────────────────────────────── */

const MINUTE = 60_000;
const SHORT_KEY = generateKeyPairSync("rsa", { modulusLength: 1024 }).privateKey.export({ type: "pkcs8", format: "pem" });
let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let account: ServiceAccount & Readonly<Record<string, string>>;
beforeAll(async () => {
  keys = await generateKeyPair("RS256", { extractable: true });
  account = {
    type: "service_account",
    project_id: "of-the-account",
    private_key_id: "kid-1",
    private_key: await exportPKCS8(keys.privateKey),
    client_email: "caller@of-the-account.iam.gserviceaccount.com",
  };
});
const tokenAnswer = (text: string, more: Json = {}): Response => Response.json({ access_token: text, expires_in: 3600, ...more });
/** Tokens numbered in the order in which they were asked for. */
const counting = (more: Json = {}) => {
  let count = 0;
  return () => tokenAnswer(`token-${++count}`, more);
};
const unsigned = (): OutgoingRequest => ({
  method: "POST",
  url: "https://x.example.org/",
  headers: new Headers({ "x-own": "1" }),
  body: "{}",
});
async function authorized({ provider: { sign } }: World, file: unknown = account, fields: Json = PROJECT): Promise<string | null> {
  const at = target(GEMINI, { ...fields, vertex_service_account_json: file }, "");
  return (await (sign ?? expect.unreachable())(unsigned(), at)).headers.get("authorization");
}
const failureOf = (work: Promise<unknown>): Promise<unknown> =>
  work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );

describe("a service account", () => {
  test("signs an assertion and exchanges it at Google's token endpoint", async () => {
    const it = await world(counting());
    expect(await authorized(it)).toBe("Bearer token-1");
    const [request] = it.sent;
    expect(request?.url).toBe("https://oauth2.googleapis.com/token");
    const form = new URLSearchParams(await request?.text());
    expect(form.get("grant_type")).toBe("urn:ietf:params:oauth:grant-type:jwt-bearer");
    const { payload, protectedHeader } = await jwtVerify(form.get("assertion") ?? "", keys.publicKey, {
      currentDate: new Date(it.clock.now),
    });
    expect(protectedHeader).toEqual({ alg: "RS256", typ: "JWT", kid: "kid-1" });
    expect(payload).toEqual({
      iss: account.client_email,
      sub: account.client_email,
      aud: "https://oauth2.googleapis.com/token",
      scope: "https://www.googleapis.com/auth/cloud-platform",
      iat: it.clock.now / 1000,
      exp: it.clock.now / 1000 + 3600,
    });
  });
  test("may come as text, and keeps the request's other headers", async () => {
    const { provider: vertex } = await world(counting());
    const at = target(GEMINI, { ...PROJECT, vertex_service_account_json: JSON.stringify(account) }, "");
    const signed = await vertex.sign?.(unsigned(), at);
    expect(Object.fromEntries(signed?.headers ?? [])).toEqual({ "x-own": "1", authorization: "Bearer token-1" });
    expect(vertex.endpoint(at).headers).toEqual({});
  });
  test("brings its own project, before the one that was named; without one, that holds", () => {
    expect(pathOf(GEMINI, { ...PROJECT, vertex_service_account_json: account })).toStartWith("/v1/projects/of-the-account/locations/");
    const { project_id: _none, ...rest } = account;
    expect(pathOf(GEMINI, { ...PROJECT, vertex_service_account_json: rest })).toStartWith("/v1/projects/acme-1/locations/");
  });
  test("keeps its token for 50 minutes of its hour, also of one that claims to live longer", async () => {
    for (const expires_in of [3600, 1e9]) {
      const it = await world(counting({ expires_in }));
      expect(await authorized(it)).toBe("Bearer token-1");
      it.clock.now += 50 * MINUTE - 1;
      expect(await authorized(it)).toBe("Bearer token-1");
      it.clock.now += 1;
      expect(await authorized(it)).toBe("Bearer token-2");
      expect(await authorized(it)).toBe("Bearer token-2");
    }
  });
  test("asks once for requests that come together", async () => {
    const it = await world(counting());
    expect(await Promise.all([1, 2, 3].map(() => authorized(it)))).toEqual(Array(3).fill("Bearer token-1"));
    expect(it.sent).toHaveLength(1);
  });
  test("gives its token to nobody who only knows its names", async () => {
    const it = await world(counting());
    await authorized(it);
    const other = await generateKeyPair("RS256", { extractable: true });
    const forged = { ...account, private_key: await exportPKCS8(other.privateKey) };
    expect(await authorized(it, forged)).toBe("Bearer token-2");
    expect(await authorized(it)).toBe("Bearer token-1");
  });
  test("keeps the tokens of a thousand accounts, and lets the oldest go", async () => {
    const it = await world(counting());
    const first = await authorized(it);
    for (let at = 0; at < 1_000; at++) await authorized(it, { ...account, private_key_id: `k${at}` });
    expect(await authorized(it, { ...account, private_key_id: "k999" })).toBe("Bearer token-1001");
    expect(await authorized(it)).not.toBe(first);
  }, 60_000);
  test("is asked for again after a failure", async () => {
    let isDown = true;
    const it = await world(() => (isDown ? new Response("busy", { status: 503 }) : tokenAnswer("t")));
    expect(await failureOf(authorized(it))).toBeInstanceOf(UpstreamFailure);
    isDown = false;
    expect(await authorized(it)).toBe("Bearer t");
  });
  test.each([
    [
      "a refusal",
      400,
      { error: "invalid_grant", error_description: "Invalid JWT Signature." },
      401,
      "invalid_grant: Invalid JWT Signature.",
    ],
    ["a refusal without words", 403, {}, 401, "status 403"],
    ["too many requests", 429, { error: "slow_down" }, 429, "slow_down"],
    ["an outage", 503, {}, 503, "status 503"],
    ["a redirect, which is not followed", 302, {}, 401, "status 302"],
  ])("whose endpoint answers with %s fails with that", async (_, status, body, told, message) => {
    const it = await world(() => Response.json(body, { status }));
    expect(await failureOf(authorized(it))).toMatchObject({ status: told, message: expect.stringContaining(message) });
  });
  test.each([
    ["no token", () => Response.json({ id_token: "x" }), "sent no token"],
    ["a token that is no header value", () => tokenAnswer("a\nb"), "sent no token"],
    ["no JSON", () => new Response("<html>"), "sent no token"],
    ["more than a token", () => new Response(new Uint8Array(70_000).fill(32)), "too large"],
  ])("whose endpoint answers with %s fails", async (_, answer, why) => {
    expect(await failureOf(authorized(await world(answer)))).toMatchObject({
      code: "UPSTREAM_INVALID",
      message: expect.stringContaining(why),
    });
  });
  test("whose endpoint does not answer is not waited for without end", async () => {
    const { host } = await fakeHost(["net:*"], {
      fetch: ({ signal }) => new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason), { once: true })),
    });
    expect(await failureOf(accessTokens(host, 5)(account))).toMatchObject({
      code: "UPSTREAM_UNREACHABLE",
      message: expect.stringContaining("it did not answer within 5 ms"),
    });
  });
  test("whose endpoint cannot be reached says which", async () => {
    const it = await world(() => {
      throw new GatewayError("UPSTREAM_UNREACHABLE", { provider: "provider/vertex-ai", why: "the connection was refused" });
    });
    expect(await failureOf(authorized(it))).toMatchObject({
      code: "UPSTREAM_UNREACHABLE",
      message: "The connection to the provider vertex-ai failed: of the token endpoint oauth2.googleapis.com, the connection was refused.",
    });
  });
  test.each([["http://tokens.example.org/token"], ["ftp://127.0.0.1/"], ["file:///etc/passwd"], ["tokens"]])(
    "with the token endpoint %s is refused before anything is sent",
    async (token_uri) => {
      const it = await world(counting());
      expect(await failureOf(authorized(it, { ...account, token_uri }))).toMatchObject({ code: "TARGET_INVALID" });
      expect(it.sent).toEqual([]);
    },
  );
  test.each([
    ["text that is no JSON", () => "{canary", "must be the JSON key file"],
    ["a list", () => '["canary"]', "must be the JSON key file"],
    ["a file of another kind", () => ({ type: "canary" }), "its client_email is missing"],
    ["a project that is a path", () => ({ ...account, project_id: "../canary" }), "its project_id is missing or not valid"],
    ["a key that is none", () => ({ ...account, private_key: "canary" }), "not an RSA key of 2048 bits"],
    ["a key that is too short", () => ({ ...account, private_key: SHORT_KEY }), "not an RSA key of 2048 bits"],
  ])("given as %s is refused without repeating it", async (_, file, why) => {
    const { code, param, message } = (await failureOf(authorized(await world(counting()), file()))) as GatewayError; // judged by the next line
    expect({ code, param }).toEqual({ code: "TARGET_INVALID", param: "vertex_service_account_json" });
    expect(message).toContain(why);
    expect(message).not.toContain("canary");
  });
  test("is missed where it is asked for", () => {
    expect(caught(() => pathOf(GEMINI, { ...PROJECT, vertex_auth_type: "serviceAccount" }))).toMatchObject({
      code: "TARGET_INVALID",
      message: expect.stringContaining("vertex_service_account_json is missing"),
    });
  });
});

function caught(run: () => unknown): unknown {
  try {
    return run();
  } catch (thrown) {
    return thrown;
  }
}
