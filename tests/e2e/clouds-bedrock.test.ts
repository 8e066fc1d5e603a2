/**
 * Cloud C through the running gateway: what each of its headers does on the wire, by headers, configs and a saved
 * integration, whole and streamed; each request's signature is computed a second time from what arrived.
 */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { signedBy } from "#contract";
import OpenAI from "openai";
import { haveRecordings, recordedLines, recording, recordings, sayIfMissing } from "../kit/recordings.ts";
import { jsonAnswer, type Received, type Replay } from "../kit/replay.ts";
import { event, eventWire, exception } from "../providers/bedrock-eventstream.ts";
import { type Claim, claimOf } from "../providers/bedrock-signature.ts";
import { verifies } from "../requirements/verifies.ts";
import { at, bodyOf, forAll, type Json, logOf } from "./endpoints/api.ts";
import { type Answer, GATEWAY_KEY } from "./process.ts";
import { type RecordedAnswer, saidByChunks, saidByCompletion } from "./recorded.ts";
import { saidByConverse, saidByConverseStream } from "./recorded-converse.ts";
import { ask, type CuttingGateway, cuttingGateway, everyBoundary } from "./replayed.ts";

const api = forAll({ LOG_LEVEL: "debug" });
type Headers = Readonly<Record<string, string>>;

/* ── what Bedrock answers, as it stands on the wire ──────────────────────────────────────────────────────────── */

const WHOLE: Json = {
  metrics: { latencyMs: 200 },
  output: { message: { role: "assistant", content: [{ text: "Ciao" }] } },
  stopReason: "end_turn",
  usage: { inputTokens: 4, outputTokens: 2, totalTokens: 106, cacheReadInputTokens: 100, cacheWriteInputTokens: 0 },
};
const STREAM: readonly Uint8Array[] = [
  event("messageStart", { role: "assistant", p: "abcd" }),
  event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "Ci" } }),
  event("contentBlockDelta", { contentBlockIndex: 0, delta: { text: "ao" } }),
  event("contentBlockStop", { contentBlockIndex: 0 }),
  event("messageStop", { stopReason: "end_turn" }),
  event("metadata", { usage: WHOLE["usage"], metrics: { latencyMs: 200 } }),
];
const SAID: RecordedAnswer = { text: "Ciao", tools: [], finish: "stop", usage: { input: 104, output: 2, total: 106 } };
const streamAnswer = (body: Uint8Array, rest: Omit<Replay, "body"> = {}): Replay => ({
  ...rest,
  body,
  headers: { "content-type": "application/vnd.amazon.eventstream" },
});
const bedrock = ({ path }: Received): Replay =>
  path.endsWith("/converse-stream") ? streamAnswer(Buffer.concat(STREAM)) : jsonAnswer(WHOLE);
beforeEach(() => api.upstream.answer(bedrock));

/* ── asking ──────────────────────────────────────────────────────────────────────────────────────────────────── */

const MODEL = "us.anthropic.claude-sonnet-4-5-20250929-v1:0";
const PATH = "/model/us.anthropic.claude-sonnet-4-5-20250929-v1%3A0";
const SECRET = "header/secret+access/key/of/these/tests";
const TOKEN = "FwoGZXIvYXdzEBY/session+token/of/these/tests==";
const KEY: Headers = { "x-gateway-aws-access-key-id": "AKIAHEADER", "x-gateway-aws-secret-access-key": SECRET };
const direct = (more: Headers = KEY): Headers => ({
  "x-gateway-provider": "bedrock",
  "x-gateway-custom-host": api.upstream.url,
  ...more,
});

interface Exchanged {
  readonly answer: Answer;
  readonly received: readonly Received[];
}
async function chat(headers: Headers, body: Json = {}): Promise<Exchanged> {
  const before = api.upstream.received.length;
  const whole = { model: MODEL, messages: [{ role: "user", content: "Hi" }], max_tokens: 64, ...body };
  const answer = await api.data("POST", "/v1/chat/completions", headers, whole);
  return { answer, received: api.upstream.received.slice(before) };
}
/** What the only request claims, judged by the secret it should be signed with. */
function claim({ received: [request, ...more] }: Exchanged, secret = SECRET): Claim {
  if (!request || more.length > 0) throw new Error(`${more.length + (request ? 1 : 0)} requests arrived, not one`);
  return claimOf(request, secret);
}
const STREAMED = { stream: true, stream_options: { include_usage: true } };
const contentOf = ({ answer }: Exchanged, stream: boolean): RecordedAnswer =>
  stream ? saidByChunks(chunksOf(answer.text)) : saidByCompletion(answer.json as Json);
function chunksOf(text: string): Json[] {
  expect(text).toEndWith("data: [DONE]\n\n");
  return framesOf(text);
}
const framesOf = (text: string): Json[] =>
  text
    .split("\n\n")
    .filter((frame) => frame.startsWith("data: {"))
    .map((frame) => JSON.parse(frame.slice("data: ".length)) as Json);
const idOf = ({ answer }: Exchanged): string => String(answer.headers.get("x-gateway-trace-id"));

describe("a request to cloud C", () => {
  test.each([
    [false, "/converse", "application/json"],
    [true, "/converse-stream", "application/vnd.amazon.eventstream"],
  ])(
    verifies("5.cloud-c-headers", "is signed with its secret access key and session token, for its region; streamed %p"),
    async (stream, end, accept) => {
      const headers = direct({ ...KEY, "x-gateway-aws-session-token": TOKEN, "x-gateway-aws-region": "eu-central-1" });
      const exchanged = await chat(headers, stream ? STREAMED : {});
      expect({ status: exchanged.answer.status, said: contentOf(exchanged, stream) }).toEqual({ status: 200, said: SAID });
      expect(claim(exchanged)).toEqual({
        authentic: true,
        keyId: "AKIAHEADER",
        region: "eu-central-1",
        service: "bedrock",
        sessionToken: TOKEN,
        signed: ["host", "x-amz-content-sha256", "x-amz-date", "x-amz-security-token"],
      });
      const [request] = exchanged.received;
      expect([request?.method, request?.path, request?.headers.get("accept")]).toEqual(["POST", PATH + end, accept]);
      expect([...(request?.headers.keys() ?? [])].filter((name) => /^x-gateway-(?!hop$)/.test(name))).toEqual([]);
    },
  );
  test("has Converse's body, and neither model nor stream in it", async () => {
    const { received } = await chat(direct(), {
      stream: true,
      temperature: 0.5,
      guardrail_config: { guardrailIdentifier: "g", guardrailVersion: "1" },
    });
    expect(received[0]?.json()).toEqual({
      messages: [{ role: "user", content: [{ text: "Hi" }] }],
      inferenceConfig: { maxTokens: 64, temperature: 0.5 },
      guardrailConfig: { guardrailIdentifier: "g", guardrailVersion: "1" },
    });
  });
  test(verifies("D2.cloud-c-key", "without region and session token is for us-east-1, with the key alone"), async () => {
    expect(claim(await chat(direct()))).toMatchObject({ authentic: true, region: "us-east-1", sessionToken: null });
  });
  test("is for another region with another signature", async () => {
    const claims = await Promise.all(["us-west-2", "ap-southeast-2"].map(async (region) => claimOfFirst(await chatAt(region))));
    expect(claims).toMatchObject([
      { authentic: true, region: "us-west-2" },
      { authentic: true, region: "ap-southeast-2" },
    ]);
  });
  test("is signed below the path of its custom host", async () => {
    const exchanged = await chat({ ...direct(), "x-gateway-custom-host": `${api.upstream.url}/vpce//one/` });
    expect(exchanged.received[0]?.path).toStartWith("/vpce//one/model/");
    expect(claim(exchanged).authentic).toBeTrue();
  });
  test("is signed anew for each try", async () => {
    const answers = [jsonAnswer({ message: "Too many requests" }, { status: 429 }), jsonAnswer(WHOLE)];
    api.upstream.answer(() => answers.shift() ?? { status: 500, body: "" });
    const { answer, received } = await chat({ ...direct(), "x-gateway-config": JSON.stringify({ retry: { attempts: 1 } }) });
    expect([answer.status, ...received.map((request) => claimOf(request, SECRET).authentic)]).toEqual([200, true, true]);
  });
  test("keeps its signature whole beside forwarded headers", async () => {
    const forwarded = { "x-amzn-bedrock-trace": "ENABLED", "x-amz-security-token": "of-somebody-else", "x-custom": "1" };
    const exchanged = await chat(direct({ ...KEY, ...forwarded, "x-gateway-forward-headers": Object.keys(forwarded).join(",") }));
    expect(claim(exchanged)).toMatchObject({
      authentic: true,
      sessionToken: null,
      signed: expect.arrayContaining(["x-amzn-bedrock-trace"]),
    });
    expect(exchanged.received[0]?.headers.get("x-custom")).toBe("1");
  });
  test.each([
    ["x-gateway-aws-region", "evil.example.org/", "aws_region"],
    ["x-gateway-aws-region", "us-east-1.evil.example.org", "aws_region"],
    ["x-gateway-aws-region", "us-east-1@evil.example.org", "aws_region"],
    ["x-gateway-aws-auth-type", "serviceRole", "aws_auth_type"],
    ["x-gateway-aws-role-arn", "not-an-arn", "aws_role_arn"],
  ])("is refused with %s: %s", async (name, value, param) => {
    const { answer, received } = await chat(direct({ ...KEY, [name]: value }));
    expect({ status: answer.status, param: at(answer.json, "error", "param"), sent: received.length }).toEqual({
      status: 400,
      param,
      sent: 0,
    });
  });
  test.each(Object.keys(KEY))("is refused without %s, by its name", async (missing) => {
    const { [missing]: _none, ...rest } = KEY;
    const { answer, received } = await chat(direct(rest));
    expect({ status: answer.status, param: at(answer.json, "error", "param"), sent: received.length }).toEqual({
      status: 400,
      param: missing.replace("x-gateway-", "").replaceAll("-", "_"),
      sent: 0,
    });
  });
  test.each(["../../guardrail/x/version/1/apply", "..%2f..%2fx", "a/../b", "a?x=1", "a#b"])(
    "cannot be sent elsewhere by its model: %s",
    async (model) => {
      const { answer, received } = await chat(direct(), { model });
      expect({ status: answer.status, param: at(answer.json, "error", "param"), sent: received.length }).toEqual({
        status: 400,
        param: "model",
        sent: 0,
      });
    },
  );
  test("may name its model by an ARN", async () => {
    const arn = "arn:aws:bedrock:eu-west-1:123456789012:inference-profile/eu.amazon.nova-lite-v1:0";
    const exchanged = await chat(direct(), { model: arn });
    expect(exchanged.received[0]?.path).toBe(`/model/${encodeURIComponent(arn)}/converse`);
    expect(claim(exchanged).authentic).toBeTrue();
  });
  test("as a role is refused where the gateway has nobody to assume it as", async () => {
    const role = { "x-gateway-aws-auth-type": "assumedRole", "x-gateway-aws-role-arn": "arn:aws:iam::123456789012:role/r" };
    const { answer, received } = await chat(direct(role));
    expect({ sent: received.length, error: bodyOf(answer, 400)["error"] }).toMatchObject({
      sent: 0,
      error: { param: "aws_auth_type", message: expect.stringContaining("AWS_ASSUME_ROLE_ACCESS_KEY_ID") },
    });
  });
  test.each<[string, Headers]>([
    ["asked for by its header", { "x-gateway-aws-auth-type": "apiKey", ...KEY }],
    ["given alone", {}],
  ])("with a Bedrock API key %s has it as bearer token, and no signature", async (_, headers) => {
    const { answer, received } = await chat(direct({ authorization: "Bearer bedrock-api-key-1", ...headers }));
    expect(answer.status).toBe(200);
    const sent = [...(received[0]?.headers ?? [])].filter(([name]) => name === "authorization" || name.startsWith("x-amz"));
    expect(sent).toEqual([["authorization", "Bearer bedrock-api-key-1"]]);
  });
});
const chatAt = (region: string): Promise<Answer> =>
  api.data("POST", "/v1/chat/completions", direct({ ...KEY, "x-gateway-aws-region": region }), {
    model: `amazon.of-${region}`,
    messages: [{ role: "user", content: "Hi" }],
  });
/** Of the request for this region: the model's name tells which it was. */
function claimOfFirst(answer: Answer): Claim {
  const region = String(at(answer.json, "model")).replace("amazon.of-", "");
  const request = api.upstream.received.findLast(({ path }) => path.includes(region));
  if (!request) throw new Error(`nothing arrived for ${region}`);
  return claimOf(request, SECRET);
}

/* ── the same fields, saved and inline ───────────────────────────────────────────────────────────────────────── */

let made = 0;
/** Secrets nobody has used before, so that each place they could come out of is theirs alone. */
function fields() {
  made += 1;
  return {
    aws_region: "eu-west-3",
    aws_access_key_id: `AKIAFIELDS${made}`,
    aws_secret_access_key: `secret/access+key/${made}/${crypto.randomUUID()}`,
    aws_session_token: `session/token+${made}/${crypto.randomUUID()}==`,
  };
}
const leaf = (more: Json): Json => ({ provider: "bedrock", custom_host: api.upstream.url, ...more });
const inline = (more: Json): Headers => ({ "x-gateway-config": JSON.stringify(leaf(more)) });
async function savedConfig(more: Json): Promise<Headers> {
  const answer = bodyOf(await api.admin("POST", "/v2/configs", { name: "Bedrock", workspace_id: "default", config: leaf(more) }));
  return { "x-gateway-config": String(at(answer, "data", "slug")) };
}
async function saved(configurations: Json, more: Json = {}): Promise<Headers> {
  const slug = `bedrock-${(made += 1)}`;
  const body = { name: slug, slug, ai_provider_id: "bedrock", workspace_id: "default", ...more };
  bodyOf(
    await api.admin("POST", "/admin/v2/integrations", { ...body, configurations: { custom_host: api.upstream.url, ...configurations } }),
  );
  return { "x-gateway-provider": `@${slug}` };
}
const PLACES: readonly (readonly [string, (more: Json) => Headers | Promise<Headers>])[] = [
  ["an inline config", inline],
  ["a saved config", savedConfig],
  ["a saved integration", (more) => saved(more)],
];

describe("cloud C's fields", () => {
  test.each(PLACES)("mean the same in %s, whole and streamed", async (_, place) => {
    const given = fields();
    const headers = await place(given);
    for (const stream of [false, true]) {
      const exchanged = await chat(headers, stream ? STREAMED : {});
      expect({ status: exchanged.answer.status, said: contentOf(exchanged, stream) }).toEqual({ status: 200, said: SAID });
      expect(claim(exchanged, given.aws_secret_access_key)).toMatchObject({
        authentic: true,
        keyId: given.aws_access_key_id,
        region: "eu-west-3",
        sessionToken: given.aws_session_token,
      });
    }
  });
  test("may hold a Bedrock API key in a saved integration", async () => {
    const { answer, received } = await chat(await saved({ aws_auth_type: "apiKey" }, { key: "saved-bedrock-api-key" }));
    expect([answer.status, received[0]?.headers.get("authorization")]).toEqual([200, "Bearer saved-bedrock-api-key"]);
  });
  test.each([
    ["a region that is none", { aws_region: "us-east-1/../x" }, "configurations.aws_region"],
    ["a field it does not have", { aws_regoin: "us-east-1" }, "configurations.aws_regoin"],
  ])("are judged when they are saved: %s", async (_, configurations, param) => {
    const answer = await api.admin("POST", "/admin/v2/integrations", { name: "Wrong", ai_provider_id: "bedrock", configurations });
    expect(at(bodyOf(answer, 400), "error", "param")).toBe(param);
  });
  test("that are saved sign nothing for a host the request names", async () => {
    const { custom_host: _none, ...config } = leaf(fields());
    const answer = bodyOf(await api.admin("POST", "/v2/configs", { name: "Bedrock", workspace_id: "default", config }));
    const elsewhere = { "x-gateway-custom-host": `${api.upstream.url}/elsewhere` };
    for (const headers of [{ "x-gateway-config": String(at(answer, "data", "slug")) }, await saved(fields())]) {
      const exchanged = await chat({ ...headers, ...elsewhere });
      expect({ status: exchanged.answer.status, sent: exchanged.received.length }).toEqual({ status: 400, sent: 0 });
    }
  });
});

/* ── secrets ─────────────────────────────────────────────────────────────────────────────────────────────────── */

const byHeaders = (given: ReturnType<typeof fields>): Headers =>
  direct(Object.fromEntries(Object.entries(given).map(([field, value]) => [`x-gateway-${field.replaceAll("_", "-")}`, value])));

describe("a secret of cloud C", () => {
  const leaks = (text: string, given: ReturnType<typeof fields>): string[] =>
    Object.entries(given).flatMap(([field, value]) =>
      field !== "aws_region" && !field.endsWith("_id") && text.includes(value) ? [field] : [],
    );

  test("in a header is masked in the record of its request", async () => {
    const given = fields();
    const text = JSON.stringify(await logOf(api, idOf(await chat(byHeaders(given)))));
    expect(leaks(text, given)).toEqual([]);
    for (const name of ["x-gateway-aws-secret-access-key", "x-gateway-aws-session-token"]) expect(text).toContain(`"${name}":"*****"`);
    expect(text).toContain(`"x-gateway-aws-access-key-id":"${given.aws_access_key_id}"`); // who asked is no secret
  });
  test("in an inline config is masked there, the rest of the config readable", async () => {
    const given = fields();
    const text = JSON.stringify(await logOf(api, idOf(await chat(inline(given)))));
    expect(leaks(text, given)).toEqual([]);
    expect(text).toContain(given.aws_access_key_id);
  });
  test("in a saved integration is masked when it is read, and kept when the mask comes back", async () => {
    const given = fields();
    const headers = await saved(given);
    const path = `/admin/v2/integrations/${headers["x-gateway-provider"]?.slice(1)}`;
    const { text } = await api.admin("GET", path);
    expect(leaks(text, given)).toEqual([]);
    const { configurations } = JSON.parse(text) as { readonly configurations: Json };
    bodyOf(await api.admin("PUT", path, { configurations: { ...configurations, aws_region: "eu-west-2" } }));
    const mask: unknown = expect.stringMatching(/^.{2}\*{7}.{2}$/);
    expect(configurations).toMatchObject({
      aws_region: "eu-west-3",
      aws_access_key_id: given.aws_access_key_id,
      aws_secret_access_key: mask,
      aws_session_token: mask,
    });
    expect(claim(await chat(headers), given.aws_secret_access_key)).toMatchObject({
      authentic: true,
      region: "eu-west-2",
      sessionToken: given.aws_session_token,
    });
  });
  test("in a saved config is masked when it is read", async () => {
    const given = fields();
    const headers = await savedConfig(given);
    const answer = await api.admin("GET", `/v2/configs/${headers["x-gateway-config"]}`);
    expect(leaks(answer.text, given)).toEqual([]);
    expect(answer.text).toContain(given.aws_access_key_id);
  });
  test("is not repeated when AWS's error does", async () => {
    const given = fields();
    const message = `The request signature we calculated does not match the signature you provided.\n\nThe Canonical String for this request should have been\n'POST\n/model\n\nx-amz-security-token:${given.aws_session_token}\n'`;
    api.upstream.answer(jsonAnswer({ message }, { status: 403, headers: { "x-amzn-errortype": "InvalidSignatureException" } }));
    const exchanged = await chat(await saved(given));
    expect(bodyOf(exchanged.answer, 403)["error"]).toMatchObject({
      message: "bedrock error: The request signature we calculated does not match the signature you provided.",
      type: "permission_error",
    });
    expect(leaks(exchanged.answer.text + JSON.stringify(await logOf(api, idOf(exchanged))), given)).toEqual([]);
  });
  test("is in no file and in nothing the process prints", async () => {
    const given = fields();
    const ways = [byHeaders(given), inline(given), await savedConfig(given), await saved(given)];
    const records = [];
    for (const headers of ways) records.push(await logOf(api, idOf(await chat(headers, { stream: true }))));
    expect(records).toHaveLength(ways.length);
    expect(leaks(api.gateway.output(), given)).toEqual([]);
    const files = readdirSync(api.gateway.dataDir, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile());
    expect(files.length).toBeGreaterThan(2);
    for (const file of files.map((entry) => join(entry.parentPath, entry.name)))
      expect({ file, leaks: leaks(readFileSync(file, "latin1"), given) }).toEqual({ file, leaks: [] });
  });
});

/* ── streams that go wrong ───────────────────────────────────────────────────────────────────────────────────── */

describe("a stream of cloud C", () => {
  const all = Buffer.concat(STREAM);
  const complete = Buffer.concat(STREAM.slice(0, 5)).length;
  const streamedFrom = async (body: Uint8Array): Promise<Exchanged> => {
    api.upstream.answer(streamAnswer(body));
    return chat(direct(), STREAMED);
  };
  test("that ends too early is an error wherever it ends, and never a clean end", async () => {
    const offsets = Array.from({ length: complete }, (_, at) => at).filter((at) => at % 7 === 0 || complete - at < 20);
    for (const offset of offsets) {
      const exchanged = await streamedFrom(all.subarray(0, offset));
      const { status, text } = exchanged.answer;
      const last = framesOf(text).at(-1);
      expect({ offset, done: text.includes("[DONE]") }).toEqual({ offset, done: false });
      expect({ offset, error: status === 200 ? last?.["error"] : at(exchanged.answer.json, "error") }).toMatchObject({
        offset,
        error: { type: "stream_incomplete" },
      });
    }
    expect(offsets.length).toBeGreaterThan(50);
  }, 30_000);
  test("that ends behind its last message is complete", async () => {
    const exchanged = await streamedFrom(all.subarray(0, complete));
    expect(contentOf(exchanged, true)).toMatchObject({ text: "Ciao", finish: "stop" });
  });
  test("whose bytes are no event stream is an error", async () => {
    const broken = Uint8Array.from(all);
    broken.fill(255, 0, 4);
    expect((await streamedFrom(broken)).answer.status).toBe(502);
  });
  test.each([
    ["prelude", 9],
    ["message", STREAM[0]?.length ?? 0],
  ])("that begins with a wrong checksum of its %s is an error, before anything was sent", async (_, end) => {
    const damaged = Uint8Array.from(all);
    damaged[end - 1] = (damaged[end - 1] ?? 0) ^ 1;
    const { answer } = await streamedFrom(damaged);
    const message = expect.stringMatching(/^The provider bedrock answered with something that is not its format: .*checksum/);
    expect(bodyOf(answer, 502)["error"]).toMatchObject({ message, code: "upstream_invalid" });
  });
  test.each([
    ["throttlingException", 429, "rate_limit_error"],
    ["validationException", 400, "invalid_request_error"],
    ["modelStreamErrorException", 424, "api_error"],
    ["serviceUnavailableException", 503, "api_error"],
  ])("that begins with %s is answered by its status, before anything was sent", async (name, status, type) => {
    const { answer } = await streamedFrom(exception(name, { message: "Not now." }));
    expect(bodyOf(answer, status)["error"]).toMatchObject({ message: "bedrock error: Not now.", type, code: name });
  });
  test("that begins with an exception may be tried again", async () => {
    const answers = [streamAnswer(exception("throttlingException", { message: "Not now." })), streamAnswer(all)];
    api.upstream.answer(() => answers.shift() ?? { status: 500, body: "" });
    const exchanged = await chat({ ...direct(), "x-gateway-config": JSON.stringify({ retry: { attempts: 1 } }) }, STREAMED);
    expect({ tries: exchanged.received.length, said: contentOf(exchanged, true) }).toEqual({ tries: 2, said: SAID });
  });
});

/* ── recorded answers ────────────────────────────────────────────────────────────────────────────────────────── */

const streams = recordings(["amazon-bedrock"], ".chunks.txt");
const bodies = recordings(["amazon-bedrock"], ".json");

describe.skipIf(!haveRecordings)("a recorded answer of cloud C", () => {
  sayIfMissing();
  test.each(streams)("%s says what its lines say", async (path) => {
    api.upstream.answer(streamAnswer(eventWire(recordedLines(path))));
    const exchanged = await chat(direct(), STREAMED);
    const wanted = saidByConverseStream(recordedLines(path).map((line) => JSON.parse(line) as Json));
    expect({ status: exchanged.answer.status, said: contentOf(exchanged, true) }).toEqual({ status: 200, said: wanted as RecordedAnswer });
    expect(claim(exchanged).authentic).toBeTrue();
  });
  test.each(bodies)("%s says what its body says", async (path) => {
    api.upstream.answer(jsonAnswer(recording(path)));
    const exchanged = await chat(direct());
    const wanted = saidByConverse(JSON.parse(recording(path)) as Json);
    expect({ status: exchanged.answer.status, said: contentOf(exchanged, false) }).toEqual({ status: 200, said: wanted as RecordedAnswer });
  });
  test.skipIf(streams.length === 0)(
    "with reasoning shows it with its signature to clients that ask for more than OpenAI's form",
    async () => {
      const body = JSON.parse(recording("amazon-bedrock/amazon-bedrock-reasoning.json")) as Json;
      const recorded = at(body, "output", "message", "content", 0, "reasoningContent", "reasoningText");
      api.upstream.answer(jsonAnswer(body));
      const { answer } = await chat({ ...direct(), "x-gateway-strict-open-ai-compliance": "false" });
      expect(at(answer.json, "choices", 0, "message", "content_blocks", 0)).toEqual({
        type: "thinking",
        thinking: at(recorded, "text"),
        signature: signedBy("messages", String(at(recorded, "signature"))),
      });
    },
  );
});

/* ── answers in pieces: each is sent when the gateway has read the one before ────────────────────────────────── */

describe("in pieces", () => {
  let cutting: CuttingGateway;
  beforeAll(async () => {
    cutting = await cuttingGateway();
  }, 30_000);
  afterAll(() => cutting.stop());

  test.each(["throttlingException", "modelStreamErrorException", "validationException", "internalServerException"])(
    "a stream in which %s comes ends with an error event",
    async (name) => {
      const messages = [...STREAM.slice(0, 2), exception(name, { message: "Gone." }), ...STREAM.slice(4)];
      const ends = messages.map((_, index) => Buffer.concat(messages.slice(0, index + 1)).length);
      const host = cutting.pieces.play(streamAnswer(Buffer.concat(messages), { cuts: ends }));
      const { status, text } = await ask(cutting.gateway, "bedrock", host, true);
      expect({ status, done: text.includes("[DONE]") }).toEqual({ status: 200, done: false });
      const frames = framesOf(text);
      expect(frames.map((frame) => at(frame, "choices", 0, "delta", "content") ?? "").join("")).toBe("Ci");
      expect(frames.at(-1)).toMatchObject({ error: { message: "Gone.", code: name } });
    },
  );
  test("a stream in which a message was damaged on the way ends with an error event, and what came before is there", async () => {
    const damaged = Uint8Array.from(STREAM[3] ?? []);
    damaged[damaged.length - 6] = (damaged[damaged.length - 6] ?? 0) ^ 1; // in its payload
    const messages = [...STREAM.slice(0, 3), damaged, ...STREAM.slice(4)];
    const ends = messages.map((_, index) => Buffer.concat(messages.slice(0, index + 1)).length);
    const host = cutting.pieces.play(streamAnswer(Buffer.concat(messages), { cuts: ends }));
    const { status, text } = await ask(cutting.gateway, "bedrock", host, true);
    expect({ status, done: text.includes("[DONE]") }).toEqual({ status: 200, done: false });
    const frames = framesOf(text);
    expect(frames.map((frame) => at(frame, "choices", 0, "delta", "content") ?? "").join("")).toBe("Ciao");
    const message = expect.stringContaining("The provider bedrock answered with something that is not its format: an event of its stream");
    expect(frames.at(-1)).toMatchObject({ error: { message, code: "upstream_invalid" } });
  });
  test.skipIf(!haveRecordings).each(streams)(
    "%s says what its lines say, wherever it is cut",
    async (path) => {
      const bytes = eventWire(recordedLines(path));
      const wanted = saidByConverseStream(recordedLines(path).map((line) => JSON.parse(line) as Json)) as RecordedAnswer;
      const recorded = { path, provider: "bedrock", wire: "chat", bytes, said: wanted } as const;
      await cutting.expectSaid(recorded, "streamed", everyBoundary(bytes.length, 50));
    },
    60_000,
  );
});

test("the official client reads cloud C's stream and whole answer", async () => {
  const client = new OpenAI({
    apiKey: "unused",
    baseURL: `${api.gateway.base}/v1`,
    maxRetries: 0,
    defaultHeaders: { "x-gateway-api-key": GATEWAY_KEY, ...direct() },
  });
  const asked = { model: MODEL, messages: [{ role: "user" as const, content: "Hi" }] };
  const whole = await client.chat.completions.create(asked);
  expect([whole.choices[0]?.message.content, whole.usage?.prompt_tokens_details?.cached_tokens]).toEqual(["Ciao", 100]);
  let text = "";
  for await (const chunk of await client.chat.completions.create({ ...asked, stream: true })) text += chunk.choices[0]?.delta.content ?? "";
  expect(text).toBe("Ciao");
});
