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

describe("a list in no JSON type", () => {
  const OTHERS = { id: "0a5980c9-409e-4a46-9304-36588f6292b1", object: "file" };
  const lines = (...things: readonly unknown[]): string => things.map((thing) => `${JSON.stringify(thing)}\n`).join("");
  const asked = async (as: string, type: string, body: string, path = "/own-text") => {
    upstream.answer({ body, headers: { "content-type": type } });
    const { status, text } = await send(as, path, { provider: "@mistral-ai" });
    return { status, text };
  };
  beforeEach(async () => {
    await post(GATEWAY_KEY, "/own", MISTRAL, "@mistral-ai");
    await post(otherKey, "/own", OTHERS, "@mistral-ai");
    made = {};
  });
  const LISTS: readonly (readonly [what: string, type: string, all: string, left: string])[] = [
    ["lines", "application/x-ndjson", lines(MISTRAL, OTHERS, { word: "x" }), lines(OTHERS, { word: "x" })],
    ["lines without an end", "application/jsonl; charset=utf-8", lines(OTHERS, MISTRAL).trimEnd(), lines(OTHERS).trimEnd()],
    ["one line", "application/x-ndjson", lines(MISTRAL), ""],
    [
      "lines that are pages",
      "text/plain",
      lines({ data: [MISTRAL, OTHERS] }, { data: [MISTRAL] }),
      lines({ data: [OTHERS] }, { data: [] }),
    ],
    ["a page", "text/plain", JSON.stringify({ data: [MISTRAL, OTHERS] }, null, 2), JSON.stringify({ data: [OTHERS] })],
    ["a bare list", "text/plain; charset=utf-8", JSON.stringify([MISTRAL, OTHERS]), JSON.stringify([OTHERS])],
    ["a list without a type", "", JSON.stringify([MISTRAL, OTHERS]), JSON.stringify([OTHERS])],
  ];
  test.each(LISTS)(verifies("D7.15.tenants", "leaves out what is another's: %s as %s"), async (_, type, all, left) =>
    expect(await asked(otherKey, type, all)).toEqual({ status: 200, text: left }),
  );
  test("of many lines is read like any other", async () => {
    const many = Array.from({ length: 3_000 }, (_, at) => ({ word: `w${at}`, text: "é".repeat(300) }));
    const { status, text } = await asked(otherKey, "application/x-ndjson", lines(...many, MISTRAL, ...many));
    expect([status, text === lines(...many, ...many)]).toEqual([200, true]);
  });
  test.each([
    ["text/plain", "file e85980c9-409e-4a46-9304-36588f6292b0"],
    ["text/csv", `id,object\n${MISTRAL.id},file\n`],
    ["text/html", "<p>files</p>"],
    ["text/event-stream", `data: ${JSON.stringify(MISTRAL)}\n\n`],
    ["application/xml", "<a/>"],
  ])("is refused where nobody can read it: %s", async (type, body) => {
    const { status, text } = await asked(otherKey, type, body);
    expect([status, text]).toEqual([403, expect.stringContaining("Several workspaces share this credential")]);
    expect(text).not.toContain(MISTRAL.id);
  });
  test("is no list where a thing of the caller's own is asked for", async () => {
    const rows = lines({ id: "batch_req_0123456789abcdef" }, { id: MISTRAL.id });
    for (const [type, body] of [
      ["text/plain", "words of a file"],
      ["application/x-ndjson", rows],
      ["text/event-stream", "data: x\n\n"],
    ] as const)
      expect(await asked(GATEWAY_KEY, type, body, `/own/${MISTRAL.id}/content`)).toEqual({ status: 200, text: body });
    expect((await asked(otherKey, "text/plain", "words of a file", `/own?of=${OTHERS.id}`)).status).toBe(403); // a query may say anything
  });
  test("passes where it is a file", async () => {
    for (const type of ["application/octet-stream", "audio/mpeg", "application/pdf"])
      expect(await asked(otherKey, type, "bytes")).toEqual({ status: 200, text: "bytes" });
  });
  test("passes as it comes with a credential of one workspace", async () => {
    const ofItsOwn = { authorization: "Bearer sk-own", "x-gateway-custom-host": `${upstream.url}/v1` };
    upstream.answer({ body: lines(MISTRAL), headers: { "content-type": "application/x-ndjson" } });
    expect(await send(otherKey, "/own", { provider: "openai", headers: ofItsOwn })).toMatchObject({ status: 200, text: lines(MISTRAL) });
  });
});

describe("an id in a multipart form", () => {
  const B = "b-1";
  const TYPE = `multipart/form-data; boundary=${B}`;
  const field = (name: string, value: string): string => `--${B}\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const FILE_PART = `--${B}\r\nContent-Disposition: form-data; name="file"; filename="a"\r\n\r\n${"x".repeat(200_000)}\r\n`;
  const form = (...parts: readonly string[]): string => `${parts.join("")}--${B}--\r\n`;
  const FORMS: readonly (readonly [what: string, body: string])[] = [
    ["before a file", form(field("file_id", MISTRAL.id), FILE_PART)],
    ["behind a file", form(FILE_PART, field("file_id", MISTRAL.id))],
    ["under another name", form(field("video", MISTRAL.id), FILE_PART)],
    ["in JSON", form(field("options", JSON.stringify({ deep: [{ of: MISTRAL.id }] })), FILE_PART)],
    ["in a list", form(field("ids[]", "w"), field("ids[]", MISTRAL.id), FILE_PART)],
  ];
  const PATHS = ["/videos", "/audio/transcriptions", "/images/edits"];
  const CASES = FORMS.flatMap(([what, body]) => PATHS.map((path): [string, string, string] => [what, path, body]));
  const posted = (as: string, path: string, body: string, headers = {}) =>
    send(as, path, { method: "POST", body, type: TYPE, provider: "@mistral-ai", headers });
  beforeEach(async () => {
    await post(GATEWAY_KEY, "/own", MISTRAL, "@mistral-ai");
    made = {};
  });
  test.each(CASES)(verifies("D7.15.tenants", "is not there for another: %s, at %s"), async (_, path, body) => {
    const refused = await posted(otherKey, path, body);
    expect([refused.status, refused.text]).toEqual([404, expect.stringContaining("There is no object with the id")]);
    const sent = await posted(GATEWAY_KEY, path, body);
    expect([sent.status, upstream.received.at(-1)?.text() === body]).toEqual([200, true]);
  });
  test("is not there either where the form may be sent again", async () => {
    const retried = { "x-gateway-config": JSON.stringify({ retry: { attempts: 1 } }) };
    for (const [, body] of FORMS) expect((await posted(otherKey, "/audio/transcriptions", body, retried)).status).toBe(404);
  });
  test("is not there either where a guardrail has read the form", async () => {
    const guardrail = { "default.wordCount": { minWords: 0, maxWords: 9 }, deny: true };
    const guarded = { "x-gateway-config": JSON.stringify({ input_guardrails: [guardrail] }) };
    for (const [, body] of FORMS) expect((await posted(otherKey, "/images/edits", body, guarded)).status).toBe(404);
  });
  test("is looked for in a mounted operation's form too", async () => {
    for (const [what, body] of FORMS) {
      const answer = await fetch(`${gateway.base}/v1/audio/transcriptions`, {
        method: "POST",
        headers: { "x-gateway-api-key": otherKey, "x-gateway-provider": "@mistral-ai", "content-type": TYPE },
        body,
      });
      expect([what, answer.status]).toEqual([what, what.endsWith("a file") ? 404 : 200]);
      await answer.text();
    }
  });
  test("is none in words, nor in a long text unless that looks like JSON", async () => {
    const words = form(field("prompt", "words, and more of them"), field("model", "voxtral-mini-2507"), FILE_PART);
    expect((await posted(otherKey, "/videos", words)).status).toBe(200);
    const retried = { "x-gateway-config": JSON.stringify({ retry: { attempts: 1 } }) };
    for (const path of ["/videos", "/images/edits"])
      for (const headers of [{}, retried]) {
        const many = JSON.stringify(Array.from({ length: 1_500 }, (_, at) => ({ id: `row-${at}` })));
        expect((await posted(otherKey, "/videos", form(field("x", many)), headers)).status).toBe(400);
        const long = (begin: string) => posted(otherKey, path, form(field("x", begin + "y".repeat(2_000_000))), headers);
        expect([path, (await long("data:image/png;base64,")).status, (await long('{"x":"')).status]).toEqual([path, 200, 400]);
        expect((await long(`${" ".repeat(5_000)}["é`)).status).toBe(400);
      }
  });
});

describe("an id in a query", () => {
  test.each(["/own-things?ids=w,", "/own-things?id=", "/files?after=", "/chat/completions?file_id="])(
    "is not there for another: %s",
    async (path) => {
      await post(GATEWAY_KEY, "/own", MISTRAL, "@mistral-ai");
      made = {};
      const method = path.startsWith("/chat") ? { method: "POST", body: { model: "m", messages: [{ role: "user", content: "x" }] } } : {};
      expect(await send(otherKey, path + MISTRAL.id, { provider: "@mistral-ai", ...method })).toMatchObject(NOT_THERE);
      expect((await send(GATEWAY_KEY, path + MISTRAL.id, { provider: "@mistral-ai", ...method })).reached).toBe(true);
    },
  );
});

describe("a file of Google's that was made by pass-through", () => {
  const SPELLINGS = [FILE.uri, FILE.uri.replace("https", "HTTPS").replace("googleapis", "GoogleApis"), `${FILE.uri}?alt=media`, FILE.name];
  const NAMING: readonly (readonly [what: string, path: string, body: (uri: string) => Json])[] = [
    [
      "gemini",
      "/v1beta/models/gemini-2.0-flash:generateContent",
      (fileUri) => ({ contents: [{ role: "user", parts: [{ fileData: { fileUri } }] }] }),
    ],
    [
      "gemini, in snake case",
      "/v1beta/models/gemini-2.0-flash:generateContent",
      (file_uri) => ({ contents: [{ role: "user", parts: [{ file_data: { file_uri } }] }] }),
    ],
    [
      "gemini's count",
      "/v1beta/models/gemini-2.0-flash:countTokens",
      (fileUri) => ({ contents: [{ role: "user", parts: [{ fileData: { fileUri } }] }] }),
    ],
    [
      "gemini's instruction",
      "/v1beta/models/gemini-2.0-flash:generateContent",
      (fileUri) => ({ contents: [{ role: "user", parts: [{ text: "x" }] }], systemInstruction: { parts: [{ fileData: { fileUri } }] } }),
    ],
    [
      "chat, by id",
      "/v1/chat/completions",
      (file_id) => ({ messages: [{ role: "user", content: [{ type: "file", file: { file_id } }] }] }),
    ],
    [
      "chat, by address",
      "/v1/chat/completions",
      (file_url) => ({ messages: [{ role: "user", content: [{ type: "file", file: { file_url } }] }] }),
    ],
    [
      "messages",
      "/v1/messages",
      (url) => ({ max_tokens: 9, messages: [{ role: "user", content: [{ type: "document", source: { type: "url", url } }] }] }),
    ],
    [
      "responses",
      "/v1/responses",
      (file_url) => ({ store: false, input: [{ role: "user", content: [{ type: "input_file", file_url }] }] }),
    ],
  ];
  const IMAGES: typeof NAMING = [
    [
      "chat, as an image",
      "/v1/chat/completions",
      (url) => ({ messages: [{ role: "user", content: [{ type: "image_url", image_url: { url } }] }] }),
    ],
    [
      "messages, as an image",
      "/v1/messages",
      (url) => ({ max_tokens: 9, messages: [{ role: "user", content: [{ type: "image", source: { type: "url", url } }] }] }),
    ],
    [
      "responses, as an image",
      "/v1/responses",
      (image_url) => ({ store: false, input: [{ role: "user", content: [{ type: "input_image", image_url }] }] }),
    ],
  ];
  const asked = (as: string, path: string, body: Json) =>
    ask(
      gateway.base + path,
      "POST",
      as,
      { ...(path.startsWith("/v1/") && { model: "gemini-2.0-flash" }), ...body },
      { "x-gateway-provider": "@google" },
    );
  test.each([...NAMING, ...IMAGES])(
    verifies("D7.15.tenants", "is there for its maker alone at the mounted operation: %s"),
    async (what, path, body) => {
      await post(GATEWAY_KEY, "/upload/v1beta/files", { file: FILE });
      made = { candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP", index: 0 }], totalTokens: 3 };
      const spellings = what.includes("image") ? SPELLINGS.filter((uri) => uri.includes("://")) : SPELLINGS;
      for (const uri of spellings) {
        const refused = await asked(otherKey, path, body(uri));
        expect([uri, refused.status, refused.text]).toEqual([uri, 404, expect.stringContaining("There is no object with the id")]);
      }
      const own = await asked(GATEWAY_KEY, path, body(FILE.uri));
      expect([own.status, own.text]).toEqual([200, expect.any(String)]);
      const anybodys = await asked(otherKey, path, body("https://example.com/files/report.pdf"));
      expect([anybodys.status, anybodys.text]).toEqual([200, expect.any(String)]);
    },
  );
  test("and so is a cached content", async () => {
    await post(GATEWAY_KEY, "/v1beta/cachedContents", CACHE);
    made = { candidates: [{ content: { role: "model", parts: [{ text: "Hi" }] }, finishReason: "STOP", index: 0 }] };
    const body = { contents: [{ role: "user", parts: [{ text: "x" }] }], cachedContent: CACHE.name };
    const path = "/v1beta/models/gemini-2.0-flash:generateContent";
    expect([(await asked(otherKey, path, body)).status, (await asked(GATEWAY_KEY, path, body)).status]).toEqual([404, 200]);
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
