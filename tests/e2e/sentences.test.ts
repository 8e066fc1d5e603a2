/** What a client is told of what it does wrong: what was attempted, on what, and what would be right. */
import { describe, expect, test } from "bun:test";
import { gzipSync } from "node:zlib";
import { ADMIN_KEY, type Answer, chat, GATEWAY_KEY } from "./process.ts";
import { at, bodyOf, forAll, type Json } from "./endpoints/api.ts";

const api = forAll({ GATEWAY_TRUSTED_HOSTS: "127.0.0.1:9301" });

type Headers = Readonly<Record<string, string>>;
const messageOf = (answer: Answer): string => String(at(answer.json, "error", "message"));
const configured = (config: Json | string): Promise<Answer> =>
  chat(api.gateway, {}, { "x-gateway-provider": "", "x-gateway-config": typeof config === "string" ? config : JSON.stringify(config) });
const toHost = (host: string): Promise<Answer> =>
  chat(api.gateway, {}, { "x-gateway-provider": "openai", "x-gateway-custom-host": host, authorization: "Bearer sk-1" });
const send = (method: string, path: string, headers: Headers = {}, body?: string | Uint8Array<ArrayBuffer>): Promise<Response> =>
  fetch(api.gateway.base + path, {
    method,
    headers: { "x-gateway-api-key": GATEWAY_KEY, ...headers },
    ...(body !== undefined && { body }),
  });

describe("a host that may not be called is named with its port, and with what would allow it", () => {
  test.each([
    ["http://127.0.0.1:9302/v1", "The host 127.0.0.1:9302 may not be called", "GATEWAY_TRUSTED_HOSTS=127.0.0.1:9302"],
    ["https://[::1]/v1", "The host [::1]:443 may not be called", "GATEWAY_TRUSTED_HOSTS=[::1]:443"],
    ["https://models.example.com:6379/v1", "The host models.example.com:6379 may not be called: its port", "GATEWAY_TRUSTED_HOSTS="],
    ["http://169.254.169.254/v1", "The host 169.254.169.254:80 may not be called", "no setting allows it"],
  ])("%s", async (host, says, remedy) => {
    const answer = await toHost(host);
    expect(answer.status).toBe(400);
    expect(messageOf(answer)).toContain(says);
    expect(messageOf(answer)).toContain(remedy);
  });
  test("a name that is not found is told so, in the words that a private one is told", async () => {
    const [missing, hidden] = [await toHost("https://nobody.of-this-test.invalid/v1"), await toHost("https://intranet/v1")];
    const shape = (answer: Answer, name: string): string => messageOf(answer).replaceAll(name, "NAME");
    expect(messageOf(missing)).toContain("nor a name that is found");
    expect(shape(missing, "nobody.of-this-test.invalid")).toBe(shape(hidden, "intranet"));
  });
  test("an address without its scheme says that it is the custom host", async () => {
    const answer = await toHost("api.openai.com/v1");
    expect(messageOf(answer)).toBe("The custom host cannot be called: it does not start with http:// or https://.");
    expect(at(answer.json, "error", "param")).toBe("custom_host");
  });
});

describe("a name that there is not comes with the one that was probably meant, and all there are", () => {
  const MISSPELT = { provider: "sandbox", input_guardrails: [{ "default.wordCont": { maxWords: 1 } }] };
  test("a check, in a request and when it is saved", async () => {
    const asked = await configured(MISSPELT);
    const saved = await api.admin("POST", "/v2/configs", { name: "c", workspace_id: "default", config: MISSPELT });
    for (const answer of [asked, saved]) {
      expect(answer.status).toBe(400);
      expect(messageOf(answer)).toMatch(
        /^No enabled plugin provides the check default\.wordCont\. default\.wordCount was probably meant\. Enabled checks: .*default\.regexMatch/,
      );
    }
  });
  test("a provider", async () => {
    const answer = await chat(api.gateway, {}, { "x-gateway-provider": "opnai" });
    expect(messageOf(answer)).toMatch(/^There is no provider opnai\. openai was probably meant\. Enabled providers: .*anthropic/);
  });
});

describe("an operation that a provider does not serve", () => {
  const asking = (path: string, body: Json): Promise<Answer> =>
    api.data("POST", path, { "x-gateway-provider": "anthropic", authorization: "Bearer sk-1" }, body);
  test("is named by its address, with the providers that serve it", async () => {
    const answer = await asking("/v1/rerank", { model: "m", query: "a", documents: ["b"] });
    expect([answer.status, at(answer.json, "error", "code")]).toEqual([400, "operation_unsupported"]);
    expect(messageOf(answer)).toMatch(
      /^The provider anthropic does not serve POST \/v1\/rerank\. Of those enabled, these do: .*\bsandbox\b.*\.$/,
    );
    const named = await chat(api.gateway, {}, { "x-gateway-provider": "sandbox" });
    expect(named.status).toBe(200);
    for (const provider of messageOf(answer)
      .replace(/^.*do: |\.$/g, "")
      .split(", "))
      expect(messageOf(await api.data("POST", "/v1/rerank", { "x-gateway-provider": provider }, {}))).not.toContain("does not serve");
  });
});

describe("a body that is encoded", () => {
  const CHAT = JSON.stringify({ model: "echo", messages: [{ role: "user", content: "Hello" }] });
  const asking = (headers: Headers, body: string | Uint8Array<ArrayBuffer> = CHAT): Promise<Response> =>
    send("POST", "/v1/chat/completions", { "x-gateway-provider": "sandbox", "content-type": "application/json", ...headers }, body);
  test.each(["gzip", "deflate", "br", "GZIP, identity"])("%s is 415, and the sentence says what to send", async (encoding) => {
    const answer = await asking({ "content-encoding": encoding }, new Uint8Array(gzipSync(CHAT)));
    expect([answer.status, await answer.json()]).toMatchObject([
      415,
      {
        error: { code: "content_encoding", param: "content-encoding", message: expect.stringContaining("send the request body as it is") },
      },
    ]);
  });
  test("a form and a body of the control plane too", async () => {
    const form = new FormData();
    form.set("purpose", "batch");
    const path = `${api.gateway.base}/v1/files`;
    const headers = { "x-gateway-api-key": GATEWAY_KEY, "x-gateway-provider": "sandbox", "content-encoding": "gzip" };
    expect((await fetch(path, { method: "POST", headers, body: form })).status).toBe(415);
    const admin = { "x-gateway-api-key": ADMIN_KEY, "content-type": "application/json", "content-encoding": "gzip" };
    expect((await send("POST", "/v2/configs", admin, "{}")).status).toBe(415);
  });
  test("identity is no encoding, and UTF-8 the only charset", async () => {
    expect((await asking({ "content-encoding": "identity" })).status).toBe(200);
    for (const charset of ["utf-8", "UTF-8", '"utf8"'])
      expect((await asking({ "content-type": `application/json; charset=${charset}` })).status).toBe(200);
    const other = await asking({ "content-type": "application/json; charset=utf-16" });
    expect([other.status, await other.text()]).toEqual([400, expect.stringContaining("application/json in UTF-8")]);
  });
});

describe("a path that is served, by another method", () => {
  test.each([
    ["GET", "/v1/chat/completions", "POST"],
    ["PATCH", "/v1/files/file-1", "DELETE, GET, HEAD"],
    ["DELETE", "/v1/models/a/b/c", ""],
    ["PUT", "/v1/models/a/b/c", "DELETE, GET, HEAD"],
    ["GET", "/v1beta/models/a/b:generateContent", ""],
    ["DELETE", "/v2/configs", "GET, HEAD, POST"],
    ["POST", "/healthz", "GET, HEAD"],
  ])("%s %s", async (method, path, allowed) => {
    if (allowed === "") return expect((await send(method, path)).status).not.toBe(405);
    const answer = await send(method, path);
    expect([answer.status, answer.headers.get("allow")]).toEqual([405, allowed]);
    const text = await answer.text();
    expect(text).toContain(`${path} is not served by ${method}; it is by ${allowed}.`);
  });
  test.each(["/v1beta/models/a:batchGenerateContent", "/v1beta/models/a/b:c:dance", "/v1beta/models/a"])(
    "POST %s says which verbs there are",
    async (path) => {
      const answer = await send("POST", path);
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
      const { error } = (await answer.json()) as { error: { message: string } };
      expect(error.message).toBe(
        `${path} is not served by POST. What is asked of it by POST ends in one of :batchEmbedContents, :countTokens, :embedContent, :generateContent, :streamGenerateContent.`,
      );
    },
  );
  test("has the error body of its plane, and of its operation's clients", async () => {
    const openai: unknown = await (await send("GET", "/v1/chat/completions")).json();
    expect(openai).toMatchObject({ error: { type: "invalid_request_error", code: "method_not_allowed", param: null } });
    expect(await (await send("GET", "/v1/messages")).json()).toMatchObject({ type: "error", error: { type: "invalid_request_error" } });
    expect(await (await send("PATCH", "/v2/configs")).json()).toMatchObject({ error: { code: "AB01" } });
  });
  test("an unknown path stays 404", async () => {
    for (const path of ["/v1/chat", "/v1beta/nothing", "/v2/nothing", "/"])
      expect((await send("POST", path)).status).toBe(path === "/" ? 405 : 404);
  });
  test("a page of another origin is told what would let it in", async () => {
    const headers = { origin: "https://app.example", "access-control-request-method": "POST" };
    const answer = await send("OPTIONS", "/v1/chat/completions", headers);
    expect([answer.status, await answer.text()]).toEqual([405, expect.stringContaining("CORS_ALLOWED_ORIGINS")]);
  });
});

describe("JSON in a header that cannot be parsed says what the parser found", () => {
  test.each([
    ["x-gateway-config", '{"provider":"sandbox",}'],
    ["x-gateway-metadata", '{"a":1,}'],
  ])("%s", async (header, text) => {
    const answer = await chat(api.gateway, {}, { [header]: text });
    expect([answer.status, messageOf(answer)]).toEqual([400, expect.stringMatching(new RegExp(`${header}.*: Property name must be`))]);
  });
});

test("a key behind the word Bearer in a header of its own is told so", async () => {
  const answer = await chat({ ...api.gateway, gatewayKey: `Bearer ${GATEWAY_KEY}` }, {});
  expect([answer.status, messageOf(answer)]).toEqual([401, expect.stringContaining("without the word Bearer")]);
});

test("a stream that breaks off is no provider that was not reached", async () => {
  const answer = await chat(api.gateway, { model: "sandbox-reset", stream: true, messages: [{ role: "user", content: "a b c d e f g" }] });
  expect(answer.text).toContain("The connection to the provider sandbox failed");
  expect(answer.text).not.toContain("could not be reached");
});

describe("a member of a config that its owner does not take is told with the value and what would be right", () => {
  test.each<[Json, string]>([
    [
      { provider: "vertex-ai", vertex_region: 5 },
      "config.vertex_region is not a value that Google Vertex AI takes: it is 5; expected string.",
    ],
    [
      { strategy: { mode: "fallback", on_status_codes: ["x"] }, targets: [{ provider: "sandbox" }] },
      'config.strategy.on_status_codes is not a value that fallback takes: at 0, it is "x"; expected',
    ],
  ])("%p", async (config, says) => expect(messageOf(await configured(config))).toContain(says));
});

describe("a saved config names providers", () => {
  const save = (config: Json): Promise<Answer> => api.admin("POST", "/v2/configs", { name: "c", workspace_id: "default", config });
  test.each<[Json, string]>([
    [{ provider: "sandbx" }, "config.provider"],
    [{ targets: [{ provider: "sandbox" }, { targets: [{ provider: "sandbx" }] }] }, "config.targets[1].targets[0].provider"],
  ])("that there are: %p is refused", async (config, param) => {
    const answer = await save(config);
    expect([answer.status, at(answer.json, "error", "param")]).toEqual([400, param]);
    expect(messageOf(answer)).toMatch(/^There is no provider sandbx\. sandbox was probably meant\./);
  });
  test("or may be saved later, and a change of one is judged alike", async () => {
    const { slug } = at(bodyOf(await save({ targets: [{ provider: "@later" }, { virtual_key: "later" }] })), "data") as Json;
    const changed = await api.admin("PUT", `/v2/configs/${slug}`, { config: { provider: "sandbx" } });
    expect([changed.status, messageOf(changed)]).toEqual([400, expect.stringContaining("sandbx")]);
  });
});

test("what has a default is not called required in the document", async () => {
  const { json } = await api.data("GET", "/openapi.json");
  const required: string[] = [];
  const look = (schema: unknown, name: string): void => {
    if (typeof schema !== "object" || schema === null) return;
    const members = Object.entries((at(schema, "properties") ?? {}) as Json);
    const needed = (at(schema, "required") ?? []) as readonly string[];
    if (Array.isArray(needed))
      required.push(
        ...members
          .filter(([member, of]) => needed.includes(member) && at(of, "default") !== undefined)
          .map(([member]) => `${name}.${member}`),
      );
    for (const [member, of] of Object.entries(schema)) look(of, `${name}/${member}`);
  };
  const bodies = Object.entries(at(json, "paths") as Json).flatMap(([path, item]) =>
    Object.values(item as Json).map((operation) => [path, at(operation, "requestBody")] as const),
  );
  for (const [path, body] of bodies) look(body, path);
  expect(bodies.filter(([, body]) => body !== undefined).length).toBeGreaterThan(20);
  expect(required).toEqual([]);
});

test("wrong parameters of a check end in one full stop", async () => {
  const answer = await configured({ provider: "sandbox", input_guardrails: [{ "default.wordCount": { maxWords: "x", scope: "y" } }] });
  expect(messageOf(answer)).toMatch(/maxWords: it is "x"; expected number\.$/);
  expect(messageOf(answer)).not.toContain("..");
});
