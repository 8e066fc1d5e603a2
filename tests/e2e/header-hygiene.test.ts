/**
 * Which headers cross the gateway, seen on the wire: what belongs to one connection, to the gateway or to somebody
 * else's session goes no further, in either direction; and a request that comes back to its own gateway is told so.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { connect, createServer, type AddressInfo, type Server } from "node:net";
import { verifies } from "../requirements/verifies.ts";
import { type Answer, ask, GATEWAY_KEY, type GatewayProcess, startGateway } from "./process.ts";

let gateway: GatewayProcess;
let upstream: Server;
/** Head and body of each request, as it came over the wire. */
const received: string[] = [];
let answer: { readonly head: string; readonly body: string };

const MESSAGE = JSON.stringify({
  id: "m",
  type: "message",
  role: "assistant",
  model: "c",
  content: [{ type: "text", text: "hi" }],
  stop_reason: "end_turn",
  usage: { input_tokens: 1, output_tokens: 1 },
});
const OK = { head: "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n", body: MESSAGE };

beforeAll(async () => {
  upstream = createServer((socket) => {
    let text = "";
    socket.on("error", () => undefined); // a reset is how some of these tests end
    socket.on("data", (bytes) => {
      text += bytes.toString("latin1");
      const [head = "", body] = text.split("\r\n\r\n", 2);
      if (body === undefined || body.length < Number(/content-length: (\d+)/i.exec(head)?.[1] ?? 0)) return;
      received.push(text);
      text = "";
      socket.write(`${answer.head}Content-Length: ${Buffer.byteLength(answer.body)}\r\n\r\n${answer.body}`);
    });
  });
  await new Promise<void>((ready) => upstream.listen(0, "127.0.0.1", ready));
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: "127.0.0.1", GATEWAY_HEADER_ALIASES: "x-acme-" } });
});
beforeEach(() => {
  answer = OK;
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  upstream.close();
});

const host = (): string => `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
interface RequestOptions {
  readonly provider?: string;
  readonly path?: string;
  readonly body?: object;
}
const CHAT = { model: "m", messages: [{ role: "user", content: "Hello" }] };
/** A request whose head is written by hand, header by header. */
function raw(
  headers: readonly string[],
  { provider = "anthropic", path = "/v1/chat/completions", body = CHAT }: RequestOptions = {},
): Promise<string> {
  const text = JSON.stringify(body);
  const own = [
    `POST ${path} HTTP/1.1`,
    "Host: gateway.example",
    "Content-Type: application/json",
    `Content-Length: ${text.length}`,
    `x-gateway-api-key: ${GATEWAY_KEY}`,
    `x-gateway-provider: ${provider}`,
    `x-gateway-custom-host: ${host()}/v1`,
  ];
  return new Promise((resolve) => {
    let answered = "";
    const socket = connect(gateway.port, "127.0.0.1", () =>
      socket.write(`${[...own, ...headers, "Connection: close"].join("\r\n")}\r\n\r\n${text}`),
    );
    socket.on("data", (bytes) => {
      answered += bytes.toString();
    });
    socket.on("close", () => resolve(answered));
    socket.on("error", () => resolve(answered));
  });
}
const headOf = (text: string | undefined): string => (text ?? "").split("\r\n\r\n")[0] ?? "";
const namesIn = (text: string | undefined): string[] =>
  headOf(text)
    .split("\r\n")
    .slice(1)
    .map((line) => line.slice(0, line.indexOf(":")).toLowerCase());
const valuesOf = (text: string | undefined, name: string): string[] =>
  headOf(text)
    .split("\r\n")
    .flatMap((line) => (line.toLowerCase().startsWith(`${name}: `) ? [line.slice(name.length + 2)] : []));
async function sent(headers: readonly string[]): Promise<string> {
  const before = received.length;
  const text = await raw(headers);
  expect(headOf(text)).toStartWith("HTTP/1.1 200");
  expect(received.length).toBe(before + 1);
  return received.at(-1) ?? "";
}

describe("a request's headers", () => {
  test("that belong to the connection, to a session or to the gateway go no further", async () => {
    const request = await sent([
      "Authorization: Bearer sk-anthropic",
      "Cookie: session=1",
      "Cookie2: x",
      "Keep-Alive: timeout=5",
      "Proxy-Connection: keep-alive",
      "Proxy-Authorization: Basic eA==",
      "TE: trailers",
      "Trailer: x-end",
      "Upgrade: h2c",
      "HTTP2-Settings: AAMAAABk",
      "x-gateway-trace-id: t1",
      'x-gateway-metadata: {"a":"b"}',
      "x-gateway-debug: true",
      "x-gateway-unknown: 1",
      "x-acme-span-id: s1",
      "x-acme-unknown: 1",
      "X-Forwarded-For: 10.0.0.1",
      "Forwarded: for=10.0.0.1",
      "X-Real-IP: 10.0.0.1",
      "Origin: https://app.example",
      "Referer: https://app.example/secret",
      "User-Agent: someone/1.0",
      "x-tenant: acme",
    ]);
    const names = namesIn(request);
    expect(
      names.filter((name) =>
        /^(cookie2?|keep-alive|proxy-.*|te|trailer|upgrade|http2-settings|x-forwarded-for|forwarded|x-real-ip|origin|referer|x-tenant|authorization|x-acme-.*)$/.test(
          name,
        ),
      ),
    ).toEqual([]);
    expect(names.filter((name) => name.startsWith("x-gateway-"))).toEqual(["x-gateway-hop"]); // its own mark, against loops
    expect(valuesOf(request, "x-api-key")).toEqual(["sk-anthropic"]);
    expect(valuesOf(request, "user-agent")).not.toContain("someone/1.0");
    expect(valuesOf(request, "host")).toEqual([host().slice("http://".length)]);
    expect(request).not.toContain(GATEWAY_KEY);
  });
  test("cannot take the provider's credential away, by naming it in Connection", async () => {
    const request = await sent([
      "Authorization: Bearer sk-anthropic",
      "Connection: x-api-key, anthropic-version, content-type, authorization",
    ]);
    expect(valuesOf(request, "x-api-key")).toEqual(["sk-anthropic"]);
    expect(valuesOf(request, "anthropic-version")).toEqual(["2023-06-01"]);
    expect(valuesOf(request, "connection").join()).not.toContain("x-api-key");
  });
  test("cannot replace the provider's credential", async () => {
    const request = await sent([
      "Authorization: Bearer sk-anthropic",
      "x-api-key: sk-other",
      "api-key: sk-other",
      "x-goog-api-key: sk-other",
    ]);
    expect(valuesOf(request, "x-api-key")).toEqual(["sk-anthropic"]);
    expect(request).not.toContain("sk-other");
    const forwarded = await sent(["Authorization: Bearer sk-anthropic", "x-api-key: sk-other", "x-gateway-forward-headers: x-api-key"]);
    expect(valuesOf(forwarded, "x-api-key")).toEqual(["sk-anthropic"]);
  });
  test("go on when they are asked for by name, unless this connection alone was to have them", async () => {
    const request = await sent([
      "Authorization: Bearer k",
      "x-tenant: acme",
      "x-other: 1",
      "x-gateway-forward-headers: X-Tenant, x-absent",
    ]);
    expect([valuesOf(request, "x-tenant"), valuesOf(request, "x-other")]).toEqual([["acme"], []]);
    const hop = await sent([
      "Authorization: Bearer k",
      "x-tenant: acme",
      "x-other: 1",
      "x-gateway-forward-headers: x-tenant, x-other",
      "Connection: close, X-Tenant",
    ]);
    expect([valuesOf(hop, "x-tenant"), valuesOf(hop, "x-other")]).toEqual([[], ["1"]]);
  });
  test.each([
    "cookie",
    "host",
    "connection",
    "transfer-encoding",
    "te",
    "upgrade",
    "proxy-authorization",
    "content-length",
    "x-gateway-api-key",
    "x-acme-api-key",
    "metadata-flavor",
    "x-aws-ec2-metadata-token",
  ])("named %s are never forwarded", async (name) => {
    const before = received.length;
    expect(headOf(await raw(["Authorization: Bearer k", `x-gateway-forward-headers: ${name}`]))).toStartWith("HTTP/1.1 400");
    expect(received.length).toBe(before);
  });
  test("with two credentials are refused: which one is meant cannot be known", async () => {
    for (const provider of ["anthropic", "openai"]) {
      const before = received.length;
      const text = await raw(["Authorization: Bearer sk-a", "Authorization: Bearer sk-b"], { provider });
      expect({ head: headOf(text).slice(0, 12), asked: received.length - before }).toEqual({ head: "HTTP/1.1 400", asked: 0 });
      expect(text).not.toContain("sk-a");
    }
  });
  test("with two gateway keys are refused", async () => {
    expect(headOf(await raw([`x-gateway-api-key: ${GATEWAY_KEY}`]))).toStartWith("HTTP/1.1 4");
  });
  test("read from an alias are the gateway's own", async () => {
    const text = await raw(["Authorization: Bearer k", "x-acme-trace-id: by-alias"]);
    expect(valuesOf(text, "x-gateway-trace-id")).toEqual(["by-alias"]);
  });
});

describe("an answer's headers", () => {
  const IMAGES: RequestOptions = { provider: "openai", path: "/v1/images/generations", body: { prompt: "x" } };
  const SPEECH: RequestOptions = { provider: "openai", path: "/v1/audio/speech", body: { model: "m", input: "x", voice: "alloy" } };
  const NOISE = [
    "Set-Cookie: session=upstream",
    "Set-Cookie: b=c",
    "Set-Cookie2: x",
    "Server: upstream-server",
    "Via: 1.1 upstream",
    "X-Powered-By: upstream",
    'Alt-Svc: h3=":443"',
    "Strict-Transport-Security: max-age=1",
    "Clear-Site-Data: *",
    "Refresh: 0",
    "WWW-Authenticate: Basic realm=x",
    "Proxy-Authenticate: Basic",
    "Keep-Alive: timeout=77",
    "Trailer: x-end",
    "Upgrade: h2c",
    "Connection: keep-alive, x-nominated",
    "x-nominated: 1",
    "NEL: {}",
    "Report-To: {}",
    "Access-Control-Allow-Origin: *",
    "Access-Control-Allow-Credentials: true",
    "x-gateway-provider: spoofed",
    "x-gateway-trace-id: spoofed",
    "x-gateway-gateway-exception: true",
    "x-gateway-hop: spoofed",
    "x-gateway-retry-attempt-count: 9",
  ];
  const KEPT = ["x-request-id: r1", "x-ratelimit-remaining-requests: 7", "retry-after: 3"];
  const FORBIDDEN =
    /^(set-cookie2?|server|via|x-powered-by|alt-svc|strict-transport-security|clear-site-data|refresh|www-authenticate|proxy-authenticate|keep-alive|trailer|upgrade|x-nominated|nel|report-to|access-control-.*|x-gateway-gateway-exception|x-gateway-hop)$/;
  const noisy = (status: string, type: string, body: string): typeof answer => ({
    head: `HTTP/1.1 ${status}\r\nContent-Type: ${type}\r\n${[...NOISE, ...KEPT].join("\r\n")}\r\n`,
    body,
  });
  const expectClean = (text: string): void => {
    expect(namesIn(text).filter((name) => FORBIDDEN.test(name))).toEqual([]);
    expect(headOf(text)).not.toContain("spoofed");
    expect(valuesOf(text, "x-gateway-retry-attempt-count")).toEqual(["0"]);
    expect([valuesOf(text, "x-request-id"), valuesOf(text, "x-ratelimit-remaining-requests")]).toEqual([["r1"], ["7"]]);
  };

  test.each([
    ["a whole answer", "200 OK", "application/json", MESSAGE],
    ["an error", "429 Too Many Requests", "application/json", '{"type":"error","error":{"type":"rate_limit_error","message":"slow"}}'],
  ])("of %s are the provider's own, without its connection, its cookies and its server", async (_, status, type, body) => {
    answer = noisy(status, type, body);
    expectClean(await raw(["Authorization: Bearer k"]));
  });
  test("of a stream are, too", async () => {
    answer = noisy(
      "200 OK",
      "text/event-stream",
      `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content: "hi" }, finish_reason: "stop" }] })}\n\ndata: [DONE]\n\n`,
    );
    const text = await raw(["Authorization: Bearer k"], { provider: "openai", body: { ...CHAT, stream: true } });
    expect(text).toContain("data: [DONE]");
    expectClean(text);
  });
  test("of bytes that pass through are, too", async () => {
    answer = noisy("200 OK", "application/octet-stream", "some bytes");
    const text = await raw(["Authorization: Bearer k"], SPEECH);
    expect(text).toContain("some bytes");
    expectClean(text);
  });
  test.each<[string, RequestOptions]>([
    ["chat", { provider: "openai" }],
    ["images", IMAGES],
  ])("that redirect are not followed and not handed on: %s", async (_, asking) => {
    answer = { head: `HTTP/1.1 302 Found\r\nLocation: ${host()}/elsewhere\r\nContent-Type: text/plain\r\n`, body: "moved" };
    const before = received.length;
    const text = await raw(["Authorization: Bearer k"], asking);
    expect(headOf(text)).toStartWith("HTTP/1.1 502");
    expect(namesIn(text)).not.toContain("location");
    expect(received.length).toBe(before + 1);
  });
});

describe("a loop", () => {
  const looped = (custom: string, headers: Record<string, string> = {}): Promise<Answer> =>
    ask(
      `${gateway.base}/v1/chat/completions`,
      "POST",
      GATEWAY_KEY,
      { model: "m", messages: [{ role: "user", content: "Hello" }] },
      { "x-gateway-provider": "openai", "x-gateway-custom-host": custom, authorization: `Bearer ${GATEWAY_KEY}`, ...headers },
    );
  const requests = async (): Promise<number> =>
    [...(await (await fetch(`${gateway.base}/metrics`)).text()).matchAll(/^gateway_requests_total\{[^}]*\} (\d+)/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );

  test(verifies("5.custom-host-private", "to the gateway itself is a 508, after one hop"), async () => {
    const before = await requests();
    const answer = await looped(`${gateway.base}/v1`);
    expect(answer.status).toBe(508);
    expect(await requests()).toBe(before + 2); // the request, and its one return
  });
  test("by way of another gateway is seen when it comes back", async () => {
    const other = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: "127.0.0.1" } });
    const config = { provider: "openai", custom_host: `${other.base}/v1`, api_key: GATEWAY_KEY };
    try {
      const back = { provider: "openai", custom_host: `${gateway.base}/v1`, api_key: GATEWAY_KEY };
      const saved = await ask(`${other.base}/v2/configs`, "POST", other.adminKey, { name: "back", workspace_id: "default", config: back });
      const key = await ask(`${other.base}/v2/api-keys/service`, "POST", other.adminKey, {
        name: "k",
        workspace_id: "default",
        scopes: ["completions.write"],
        defaults: { config_id: saved.json["data"]?.["slug"] },
      });
      const answer = await ask(
        `${gateway.base}/v1/chat/completions`,
        "POST",
        GATEWAY_KEY,
        { model: "m", messages: [{ role: "user", content: "Hello" }] },
        { "x-gateway-config": JSON.stringify({ ...config, api_key: key.json["key"] }) },
      );
      expect(answer.status).toBe(508);
    } finally {
      await other.stop();
      other.remove();
    }
  });
  test("of more gateways than there can be is refused, and other marks do no harm", async () => {
    expect((await looped(`${host()}/v1`, { "x-gateway-hop": "a, b, c, d, e, f, g, h, i" })).status).toBe(508);
    const marks = "another, 0123456789abcdef"; // only the second is one that a gateway writes
    expect((await looped(`${host()}/v1`, { "x-gateway-hop": marks })).status).not.toBe(508);
    expect(valuesOf(received.at(-1), "x-gateway-hop")).toEqual([expect.stringMatching(/^0123456789abcdef, [0-9a-f]{16}$/)]);
  });
});
