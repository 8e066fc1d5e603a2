/**
 * Cloud B through the running gateway: what each of its headers does on the wire, by headers, configs and a saved
 * integration, for Gemini and for Claude, whole and streamed; and how a service account gets its access token.
 */
import { beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { exportPKCS8, generateKeyPair, jwtVerify } from "jose";
import { haveRecordings, recordedLines, recording, recordings, sayIfMissing, sseWire } from "../kit/recordings.ts";
import { jsonAnswer, type Received, type Replay, sseAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { at, bodyOf, forAll, type Json, logOf } from "./endpoints/api.ts";
import type { Answer } from "./process.ts";
import { type RecordedAnswer, saidByBody, saidByChunks, saidByCompletion, saidByStream, type Wire } from "./recorded.ts";

const api = forAll();
type Headers = Readonly<Record<string, string>>;

/* ── what Vertex AI answers, as it stands on the wire ────────────────────────────────────────────────────────── */

const GEMINI_WHOLE =
  '{"candidates":[{"content":{"role":"model","parts":[{"text":"Ciao"}]},"finishReason":"STOP","avgLogprobs":-0.1}],' +
  '"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":2,"totalTokenCount":6,"trafficType":"ON_DEMAND"},' +
  '"modelVersion":"gemini-2.5-flash","createTime":"2026-01-02T03:04:05.678Z","responseId":"resp-1"}';
const GEMINI_STREAM = [
  '{"candidates":[{"content":{"role":"model","parts":[{"text":"Ci"}]}}],"usageMetadata":{"trafficType":"ON_DEMAND"},"modelVersion":"gemini-2.5-flash","responseId":"resp-1"}',
  '{"candidates":[{"content":{"role":"model","parts":[{"text":"ao"}]},"finishReason":"STOP"}],"usageMetadata":{"promptTokenCount":4,"candidatesTokenCount":2,"totalTokenCount":6},"modelVersion":"gemini-2.5-flash","responseId":"resp-1"}',
]
  .map((chunk) => `data: ${chunk}\r\n\r\n`)
  .join("");
const CLAUDE_WHOLE =
  '{"id":"msg_vrtx_1","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[{"type":"text","text":"Ciao"}],' +
  '"stop_reason":"end_turn","stop_sequence":null,"usage":{"input_tokens":4,"cache_creation_input_tokens":0,"cache_read_input_tokens":0,"output_tokens":2}}';
const CLAUDE_STREAM = [
  '{"type":"message_start","message":{"id":"msg_vrtx_1","type":"message","role":"assistant","model":"claude-sonnet-4-5-20250929","content":[],"stop_reason":null,"usage":{"input_tokens":4,"output_tokens":1}}}',
  '{"type":"ping"}',
  '{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}',
  '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"Ci"}}',
  '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"ao"}}',
  '{"type":"content_block_stop","index":0}',
  '{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null},"usage":{"output_tokens":2}}',
  '{"type":"message_stop"}',
];
const ANSWERS: Readonly<Record<string, Replay>> = {
  generateContent: jsonAnswer(GEMINI_WHOLE),
  "streamGenerateContent?alt=sse": sseAnswer(GEMINI_STREAM),
  rawPredict: jsonAnswer(CLAUDE_WHOLE),
  streamRawPredict: sseAnswer(`event: vertex_event\ndata: {"type":"vertex_event"}\n\n${sseWire(CLAUDE_STREAM, { named: true })}`),
};
const SAID: RecordedAnswer = { text: "Ciao", tools: [], finish: "stop", usage: { input: 4, output: 2, total: 6 } };

/** The token endpoint and the models are one server; it numbers the tokens it gives. */
let tokensGiven = 0;
const vertex = (request: Received): Replay => {
  if (!request.path.startsWith("/token")) return ANSWERS[request.path.split(":").at(-1) ?? ""] ?? { status: 404, body: request.path };
  tokensGiven += 1;
  return jsonAnswer({ access_token: `ya29.${tokensGiven}`, expires_in: 3599, token_type: "Bearer" });
};
beforeEach(() => {
  tokensGiven = 0;
  api.upstream.answer(vertex);
});

/* ── asking ──────────────────────────────────────────────────────────────────────────────────────────────────── */

const GEMINI = "gemini-2.5-flash";
const CLAUDE = "anthropic.claude-sonnet-4-5@20250929";
const TOKEN = "ya29.of-the-client";
const PLACE: Headers = { "x-gateway-vertex-project-id": "acme-1", "x-gateway-vertex-region": "europe-west4" };
const toVertex = (more: Headers = {}): Headers => ({
  "x-gateway-provider": "vertex-ai",
  "x-gateway-custom-host": api.upstream.url,
  ...more,
});
const direct = (more: Headers = {}): Headers => toVertex({ authorization: `Bearer ${TOKEN}`, ...PLACE, ...more });
const inConfig = (config: Json): Headers => ({ "x-gateway-config": JSON.stringify(config) });

interface Exchanged {
  readonly answer: Answer;
  /** What Vertex AI was asked, and what its token endpoint was. */
  readonly models: readonly Received[];
  readonly tokens: readonly Received[];
}
async function chat(headers: Headers, body: Json = {}): Promise<Exchanged> {
  const before = api.upstream.received.length;
  const whole = { model: GEMINI, messages: [{ role: "user", content: "Hi" }], max_tokens: 64, ...body };
  const answer = await api.data("POST", "/v1/chat/completions", headers, whole);
  const received = api.upstream.received.slice(before);
  const isToken = ({ path }: Received): boolean => path.startsWith("/token");
  return { answer, models: received.filter((one) => !isToken(one)), tokens: received.filter(isToken) };
}
const STREAMED = { stream: true, stream_options: { include_usage: true } };
const contentOf = ({ answer }: Exchanged, stream: boolean): RecordedAnswer =>
  stream ? saidByChunks(chunksOf(answer.text)) : saidByCompletion(answer.json as Json);
function chunksOf(text: string): Json[] {
  expect(text).toEndWith("data: [DONE]\n\n");
  return text
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: {"))
    .map((frame) => JSON.parse(frame.slice("data: ".length)) as Json);
}
const pathsOf = (received: readonly Received[]): string[] => received.map(({ path }) => path);

describe("a request to cloud B", () => {
  const P = "/v1/projects/acme-1/locations/europe-west4/publishers";
  test.each([
    ["Gemini", false, GEMINI, `${P}/google/models/gemini-2.5-flash:generateContent`],
    ["Gemini", true, GEMINI, `${P}/google/models/gemini-2.5-flash:streamGenerateContent?alt=sse`],
    ["Claude", false, CLAUDE, `${P}/anthropic/models/claude-sonnet-4-5@20250929:rawPredict`],
    ["Claude", true, CLAUDE, `${P}/anthropic/models/claude-sonnet-4-5@20250929:streamRawPredict`],
  ] as const)(
    verifies("5.cloud-b-headers", "has project and region in its path, and the request types in headers: %s, streamed %p"),
    async (_, stream, model, path) => {
      const types = { "x-gateway-vertex-llm-request-type": "shared", "x-gateway-vertex-llm-shared-request-type": "priority" };
      const exchanged = await chat(direct(types), { model, ...(stream && STREAMED) });
      expect({ status: exchanged.answer.status, said: contentOf(exchanged, stream) }).toEqual({ status: 200, said: SAID });
      const [request] = exchanged.models;
      expect(pathsOf(exchanged.models)).toEqual([path]);
      expect(request?.headers.get("x-vertex-ai-llm-request-type")).toBe("shared");
      expect(request?.headers.get("x-vertex-ai-llm-shared-request-type")).toBe("priority");
      expect(request?.headers.get("authorization")).toBe(`Bearer ${TOKEN}`);
      expect([...(request?.headers.keys() ?? [])].filter((name) => /^x-gateway-(?!hop$)/.test(name))).toEqual([]);
    },
  );
  test("has the body of its publisher's wire", async () => {
    const [gemini] = (await chat(direct())).models;
    expect(gemini?.json()).toEqual({ contents: [{ role: "user", parts: [{ text: "Hi" }] }], generationConfig: { maxOutputTokens: 64 } });
    const [claude] = (await chat(direct(), { model: CLAUDE, stream: true })).models;
    expect(claude?.json()).toEqual({
      anthropic_version: "vertex-2023-10-16",
      max_tokens: 64,
      messages: [{ role: "user", content: "Hi" }],
      stream: true,
    });
  });
  test("goes where its project and its region say, and without request types when none is asked for", async () => {
    const { models } = await chat(direct({ "x-gateway-vertex-project-id": "other-2", "x-gateway-vertex-region": "global" }));
    expect(pathsOf(models)).toEqual(["/v1/projects/other-2/locations/global/publishers/google/models/gemini-2.5-flash:generateContent"]);
    expect([...(models[0]?.headers.keys() ?? [])].filter((name) => name.startsWith("x-vertex"))).toEqual([]);
  });
  test.each(Object.keys(PLACE))("is refused without %s, by its name", async (missing) => {
    const { [missing]: _none, ...headers } = direct();
    const { answer, models } = await chat(headers);
    expect({ status: answer.status, sent: models.length }).toEqual({ status: 400, sent: 0 });
    expect(at(answer.json, "error", "message")).toContain(missing.replace("x-gateway-", "").replaceAll("-", "_"));
  });
  test.each([
    ["x-gateway-vertex-region", "evil.example.org/"],
    ["x-gateway-vertex-region", "europe-west4.evil.example.org"],
    ["x-gateway-vertex-project-id", "../../other"],
    ["x-gateway-vertex-auth-type", "workload"],
  ])("is refused with %s: %s", async (name, value) => {
    const { answer, models } = await chat(direct({ [name]: value }));
    expect({ status: answer.status, sent: models.length }).toEqual({ status: 400, sent: 0 });
  });
  test(verifies("D2.cloud-b-express", "in express mode has an API key and needs no project"), async () => {
    const { answer, models } = await chat(toVertex({ authorization: "Bearer AIza-1", "x-gateway-vertex-auth-type": "apiKey" }));
    expect(answer.status).toBe(200);
    expect(pathsOf(models)).toEqual(["/v1/publishers/google/models/gemini-2.5-flash:generateContent"]);
    expect([models[0]?.headers.get("x-goog-api-key"), models[0]?.headers.get("authorization")]).toEqual(["AIza-1", null]);
  });
  test("that Claude refuses says so in Anthropic's or in Google's words", async () => {
    const errors: readonly (readonly [Json | readonly Json[], string, string])[] = [
      [
        { type: "error", error: { type: "invalid_request_error", message: "max_tokens: too large" } },
        "max_tokens: too large",
        "invalid_request_error",
      ],
      [[{ error: { code: 400, message: "No such region", status: "INVALID_ARGUMENT" } }], "No such region", "INVALID_ARGUMENT"],
    ];
    for (const [body, message, type] of errors) {
      api.upstream.answer(jsonAnswer(body, { status: 400 }));
      const { answer } = await chat(direct(), { model: CLAUDE });
      expect(bodyOf(answer, 400)["error"]).toMatchObject({ message: `vertex-ai error: ${message}`, type });
    }
  });
});

/* ── the same fields, saved and inline ───────────────────────────────────────────────────────────────────────── */

const FIELDS = { vertex_project_id: "acme-1", vertex_region: "us", vertex_llm_request_type: "dedicated" };
let slugs = 0;
async function saved(body: Json): Promise<Headers> {
  slugs += 1;
  const slug = `vertex-${slugs}`;
  const { configurations, ...rest } = body;
  const made = { name: slug, slug, ai_provider_id: "vertex-ai", workspace_id: "default", ...rest };
  bodyOf(
    await api.admin("POST", "/admin/v2/integrations", {
      ...made,
      configurations: { custom_host: api.upstream.url, ...(configurations as Json) },
    }),
  );
  return { "x-gateway-provider": `@${slug}` };
}
async function savedConfig(config: Json): Promise<Headers> {
  const made = bodyOf(await api.admin("POST", "/v2/configs", { name: "Vertex", workspace_id: "default", config }));
  return { "x-gateway-config": String(at(made, "data", "slug")) };
}
const leaf = (more: Json = {}): Json => ({ provider: "vertex-ai", custom_host: api.upstream.url, ...FIELDS, ...more });

describe("cloud B's fields", () => {
  test.each<[string, () => Headers | Promise<Headers>]>([
    ["an inline config", () => inConfig(leaf({ api_key: TOKEN }))],
    ["a saved config", () => savedConfig(leaf({ api_key: TOKEN }))],
    ["a saved integration", () => saved({ key: TOKEN, configurations: FIELDS })],
  ])("mean the same in %s", async (_, headers) => {
    const { answer, models } = await chat(await headers(), { model: CLAUDE });
    expect(bodyOf(answer)).toMatchObject({ choices: [{ message: { content: "Ciao" } }] });
    expect(pathsOf(models)).toEqual(["/v1/projects/acme-1/locations/us/publishers/anthropic/models/claude-sonnet-4-5@20250929:rawPredict"]);
    expect(models[0]?.headers.get("x-vertex-ai-llm-request-type")).toBe("dedicated");
    expect(models[0]?.headers.get("authorization")).toBe(`Bearer ${TOKEN}`);
  });
});

/* ── service accounts ────────────────────────────────────────────────────────────────────────────────────────── */

let keys: Awaited<ReturnType<typeof generateKeyPair>>;
let pem: string;
let accounts = 0;
beforeAll(async () => {
  keys = await generateKeyPair("RS256", { extractable: true });
  pem = await exportPKCS8(keys.privateKey);
});
/** A key file nobody has used before. */
function keyFile(more: Json = {}): Json {
  accounts += 1;
  return {
    type: "service_account",
    project_id: "of-the-account",
    private_key_id: `kid-${accounts}`,
    private_key: pem,
    client_email: `caller-${accounts}@of-the-account.iam.gserviceaccount.com`,
    token_uri: `${api.upstream.url}/token`,
    ...more,
  };
}
const withFile = (file: Json): Headers =>
  toVertex({ "x-gateway-vertex-region": "europe-west4", "x-gateway-vertex-service-account-json": JSON.stringify(file) });
const authorizations = (received: readonly Received[]): (string | null)[] => received.map(({ headers }) => headers.get("authorization"));

describe("a service account", () => {
  test("signs for its token, whose project it brings; Vertex gets the token and nothing else of it", async () => {
    const file = keyFile();
    const { answer, models, tokens } = await chat(withFile(file));
    expect(bodyOf(answer)).toMatchObject({ choices: [{ message: { content: "Ciao" } }] });
    const form = new URLSearchParams(tokens[0]?.text());
    expect([tokens.length, tokens[0]?.method, tokens[0]?.headers.get("content-type"), form.get("grant_type")]).toEqual([
      1,
      "POST",
      "application/x-www-form-urlencoded",
      "urn:ietf:params:oauth:grant-type:jwt-bearer",
    ]);
    const { payload, protectedHeader } = await jwtVerify(form.get("assertion") ?? "", keys.publicKey, {
      audience: `${api.upstream.url}/token`,
    });
    expect(protectedHeader).toMatchObject({ alg: "RS256", kid: String(file["private_key_id"]) });
    expect(payload).toMatchObject({
      iss: file["client_email"],
      sub: file["client_email"],
      scope: "https://www.googleapis.com/auth/cloud-platform",
    });
    expect(pathsOf(models)).toEqual([
      "/v1/projects/of-the-account/locations/europe-west4/publishers/google/models/gemini-2.5-flash:generateContent",
    ]);
    expect(authorizations(models)).toEqual(["Bearer ya29.1"]);
  });
  test.each<[string, (file: Json) => Headers | Promise<Headers>]>([
    ["in a header", withFile],
    ["in an inline config", (file) => inConfig(leaf({ vertex_service_account_json: file }))],
    ["in a saved config", (file) => savedConfig(leaf({ vertex_service_account_json: file }))],
    ["in a saved integration", (file) => saved({ configurations: { ...FIELDS, vertex_service_account_json: file } })],
  ])(
    verifies("D2.cloud-b-account", "given %s is asked for its token once, for Gemini and Claude, whole and streamed"),
    async (_, given) => {
      const headers = await given(keyFile());
      const all: Exchanged[] = [];
      for (const body of [{}, STREAMED, { model: CLAUDE }, { model: CLAUDE, ...STREAMED }]) all.push(await chat(headers, body));
      expect(all.map(({ answer }) => answer.status)).toEqual([200, 200, 200, 200]);
      expect(all.flatMap(({ models }) => authorizations(models))).toEqual(Array(4).fill("Bearer ya29.1"));
      expect(tokensGiven).toBe(1);
    },
  );
  test("is not mixed up with another, nor with one that has its names and not its key", async () => {
    const file = keyFile();
    const other = await exportPKCS8((await generateKeyPair("RS256", { extractable: true })).privateKey);
    const all = [await chat(withFile(file)), await chat(withFile(keyFile())), await chat(withFile({ ...file, private_key: other }))];
    expect(all.flatMap(({ models }) => authorizations(models))).toEqual(["Bearer ya29.1", "Bearer ya29.2", "Bearer ya29.3"]);
  });
  test.each([
    ["http://127.0.0.1:1/token"],
    ["https://127.0.0.1:1/token"],
    ["https://169.254.169.254/token"],
    ["https://metadata.google.internal/token"],
    ["http://tokens.example.org/token"],
  ])("cannot make the gateway call %s", async (token_uri) => {
    const { answer, models } = await chat(withFile(keyFile({ token_uri })));
    expect({ status: answer.status, sent: models.length }).toEqual({ status: 400, sent: 0 });
    expect(at(answer.json, "error", "message")).toMatch(/may not be called|token_uri/);
  });
  test("that is refused is an authentication error in its endpoint's words, and another target may answer", async () => {
    api.upstream.answer(jsonAnswer({ error: "invalid_grant", error_description: "Invalid JWT Signature." }, { status: 400 }));
    const headers = withFile(keyFile());
    const { answer } = await chat(headers);
    expect(bodyOf(answer, 401)["error"]).toMatchObject({
      type: "authentication_error",
      message: expect.stringMatching(/^vertex-ai error: The token endpoint .* invalid_grant: Invalid JWT Signature\.$/),
    });
    const targets = [leaf({ vertex_service_account_json: keyFile() }), { provider: "sandbox", override_params: { model: "echo" } }];
    const fallen = await chat(inConfig({ strategy: { mode: "fallback" }, targets }));
    expect({ status: fallen.answer.status, by: fallen.answer.headers.get("x-gateway-last-used-option-index") }).toEqual({
      status: 200,
      by: "config.targets[1]",
    });
  });
  test("whose endpoint does not answer holds the request no longer than its own timeout", async () => {
    api.upstream.answer(() => new Promise(() => undefined));
    const { answer, tokens } = await chat({ ...withFile(keyFile()), "x-gateway-request-timeout": "100" });
    expect({ status: answer.status, tokens: tokens.length }).toEqual({ status: 408, tokens: 1 });
  });
  test("whose endpoint fails once is asked again by a retry", async () => {
    let failures = 1;
    api.upstream.answer((request) =>
      request.path.startsWith("/token") && failures-- > 0
        ? jsonAnswer({}, { status: 503, headers: { "retry-after": "0" } })
        : vertex(request),
    );
    const { answer, tokens } = await chat(inConfig(leaf({ vertex_service_account_json: keyFile(), retry: { attempts: 1 } })));
    expect({ status: answer.status, tokens: tokens.length }).toEqual({ status: 200, tokens: 2 });
  });
  test("is sealed where it is saved, and shown nowhere", async () => {
    const body = pem.split("\n")[1] ?? "";
    const headers = await saved({ configurations: { ...FIELDS, vertex_service_account_json: keyFile() } });
    const shown = bodyOf(await api.admin("GET", `/admin/v2/integrations/${headers["x-gateway-provider"]?.slice(1)}`));
    const logs: Json[] = [];
    for (const given of [headers, withFile(keyFile()), inConfig(leaf({ vertex_service_account_json: keyFile() }))]) {
      const { answer } = await chat(given);
      logs.push(await logOf(api, answer.headers.get("x-gateway-trace-id") ?? ""));
    }
    expect(at(shown, "configurations")).toMatchObject({ ...FIELDS, vertex_service_account_json: expect.stringMatching(/^.{2}\*{7}.{2}$/) });
    expect(body.length).toBeGreaterThan(60);
    for (const text of [JSON.stringify(shown), JSON.stringify(logs), api.gateway.output()]) {
      expect(text).not.toContain(body);
      expect(text).not.toContain("ya29.1");
    }
  });
  test("that is saved keeps its token from a host the request names", async () => {
    const elsewhere = { "x-gateway-custom-host": `${api.upstream.url}/elsewhere` };
    const { custom_host: _none, ...own } = leaf({ vertex_service_account_json: keyFile() });
    for (const headers of [
      await saved({ configurations: { ...FIELDS, vertex_service_account_json: keyFile() } }),
      await savedConfig(own),
    ]) {
      const { answer, models, tokens } = await chat({ ...headers, ...elsewhere });
      expect({ status: answer.status, models: models.length, tokens: tokens.length }).toEqual({ status: 400, models: 0, tokens: 0 });
    }
  });
});

/* ── recorded answers of both publishers ─────────────────────────────────────────────────────────────────────── */

const WIRES: readonly (readonly [folder: string, wire: Wire, model: string])[] = [
  ["google", "gemini", GEMINI],
  ["anthropic", "messages", CLAUDE],
];
const SPLICED = "anthropic/spliced-message-start.chunks.txt";
const RECORDED = WIRES.flatMap(([folder, wire, model]) => [
  ...recordings([folder], ".chunks.txt")
    .filter((path) => path !== SPLICED)
    .map((path) => [path, wire, model, true] as const),
  ...recordings([folder], ".json").map((path) => [path, wire, model, false] as const),
]);

describe.skipIf(!haveRecordings)("a recorded answer given by cloud B", () => {
  sayIfMissing();
  test.each(RECORDED)("%s says what it says", async (path, wire, model, stream) => {
    const bytes = stream ? sseWire(recordedLines(path), { named: wire === "messages" }) : recording(path);
    api.upstream.answer(stream ? sseAnswer(bytes, { cuts: [1, 100, 1000] }) : jsonAnswer(bytes));
    const exchanged = await chat(direct(), { model, ...(stream && STREAMED) });
    const expected = stream ? saidByStream(wire, recordedLines(path)) : saidByBody(wire, bytes);
    expect({ status: exchanged.answer.status, said: contentOf(exchanged, stream) }).toEqual({ status: 200, said: expected });
  });
});
