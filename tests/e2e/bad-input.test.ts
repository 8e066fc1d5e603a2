/** Bad input of every kind gets a clear 4xx in the documented body and leaves the process unharmed. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from "bun:test";
import { connect } from "node:net";
import { verifies } from "../requirements/verifies.ts";
import { type Answer, ask, chat, GATEWAY_KEY, type GatewayProcess, startGateway } from "./process.ts";

let gateway: GatewayProcess;
let canary: Bun.TCPSocketListener;
let touched = 0;

beforeAll(async () => {
  gateway = await startGateway();
  canary = Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { open: () => void (touched += 1), data: () => undefined } });
});
afterAll(async () => {
  canary.stop(true);
  await gateway.stop();
  gateway.remove();
});
/** Whatever a test did, the next request is answered. */
afterEach(async () => expect((await chat(gateway, {})).status).toBe(200));

const url = (): string => `${gateway.base}/v1/chat/completions`;
const post = async (
  body: string | Uint8Array<ArrayBuffer> | ReadableStream<Uint8Array>,
  headers: Record<string, string> = {},
): Promise<Answer> => {
  const response = await fetch(url(), {
    method: "POST",
    headers: { "x-gateway-api-key": GATEWAY_KEY, "x-gateway-provider": "sandbox", "content-type": "application/json", ...headers },
    body,
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, json: JSON.parse(text) };
};
const expectDocumented = (answer: Answer, status: number): void => {
  expect({ status: answer.status, text: answer.text }).toMatchObject({ status });
  expect(answer.json).toMatchObject({ error: { type: expect.any(String), message: expect.stringMatching(/.{10,}/) } });
  expect(Object.keys(answer.json["error"] ?? {}).sort()).toEqual(["code", "message", "param", "type"]);
};

describe("a body that two readers would take for two", () => {
  const question = (member: string) => `{"model":"echo","messages":[{"role":"user","content":"hi"}],${member}}`;
  const long = (body: string) => body.replace("hi", "hi ".repeat(100_000));
  test.each([
    ["a member twice", question('"messages":[{"role":"user","content":"another"}]')],
    ["a member twice, once escaped", question('"mess\\u0061ges":[{"role":"user","content":"another"}]')],
    ["a member twice in a message", question('"seed":1').replace('"role"', '"content":"another","role"')],
  ])("is refused: %s", async (_, body) => {
    for (const text of [body, long(body)]) {
      const answer = await post(text);
      expectDocumented(answer, 400);
      expect(answer.text).toContain("twice in one object");
    }
  });
  test("a config in a header and a body of the control plane as well", async () => {
    expect((await chat(gateway, {}, { "x-gateway-config": '{"provider":"sandbox","provider":"openai"}' })).text).toContain("twice");
  });
  test.each(["Messages", "MODEL", "Prompt"])("where guardrails look on, a member in another case is refused: %s", async (name) => {
    const body = question(`"${name}":[{"role":"user","content":"another"}]`);
    const config = {
      provider: "sandbox",
      input_guardrails: [{ "default.contains": { words: ["another"], operator: "none" }, deny: true }],
    };
    const answer = await post(body, { "x-gateway-config": JSON.stringify(config) });
    expectDocumented(answer, 400);
    expect((await post(body)).status).toBe(200);
  });
});

describe("a key", () => {
  test(verifies("5.key-required", "is required"), async () =>
    expectDocumented(await ask(url(), "POST", null, { model: "echo", messages: [] }), 401),
  );
  test.each(["nobody", "x".repeat(4000), "' OR 1=1 --", "%00", "../../etc"])("that is not known is refused: %s", async (key) =>
    expectDocumented(await ask(url(), "POST", key, { model: "echo", messages: [] }), 401),
  );
  test("may come as a bearer token", async () => {
    const answer = await ask(
      url(),
      "POST",
      null,
      { model: "echo", messages: [{ role: "user", content: "hi" }] },
      { authorization: `Bearer ${GATEWAY_KEY}`, "x-gateway-provider": "sandbox" },
    );
    expect(answer.status).toBe(200);
  });
  test("is never echoed", async () =>
    expect((await ask(url(), "POST", "someWrongKey123456", { model: "echo" })).text).not.toContain("someWrongKey123456"));
});

describe("a body", () => {
  test.each(["", "{", "null", "[]", '"text"', "{'a':1}", '{"a":1}}', "\u0000"])("that is no JSON object is refused: %j", async (body) =>
    expectDocumented(await post(body), 400),
  );
  /** Short ones, long ones, and those of no declared length. */
  const sizes = [1, 400_000].flatMap((size) => [
    [size, false],
    [size, true],
  ]) as [size: number, streamed: boolean][];
  const asked = (content: Uint8Array): Uint8Array<ArrayBuffer> =>
    new Uint8Array(
      Buffer.concat([Buffer.from('{"model":"sandbox-echo","messages":[{"role":"user","content":"'), content, Buffer.from('"}]}')]),
    );
  const sent = (bytes: Uint8Array<ArrayBuffer>, streamed: boolean): Promise<Answer> => post(streamed ? new Blob([bytes]).stream() : bytes);
  describe.each(sizes)("of %d times the same, streamed: %p,", (times, streamed) => {
    test.each([[[0xff]], [[0x61, 0xe6, 0xbc]], [[0xc3, 0x28]], [[0xed, 0xa0, 0x80]]])(
      "that is no UTF-8 is refused: %p",
      async (content) => {
        const answer = await sent(asked(Buffer.from(Array.from({ length: times }, () => content).flat())), streamed);
        expectDocumented(answer, 400);
        expect(answer.text).toContain("The request body is not valid JSON: it is not UTF-8.");
      },
    );
    test.each(["\ufffd", "漢\ufffd", "é", "😀"])("that is UTF-8 is taken as it is: %p", async (content) => {
      const answer = await sent(asked(Buffer.from(content.repeat(times))), streamed);
      expect(answer.text).toContain(content.repeat(Math.min(times, 1000)));
    });
    test.each(["é", "\ufffd"])("that begins with a byte order mark is taken without it: %p", async (content) =>
      expect((await sent(new Uint8Array([0xef, 0xbb, 0xbf, ...asked(Buffer.from(content.repeat(times)))]), streamed)).status).toBe(200),
    );
  });
  test.each([
    { messages: "hi" },
    { messages: [] },
    { messages: [{ content: "x" }] },
    { messages: [{ role: 1, content: "x" }] },
    { messages: [{ role: "user", content: 5 }] },
    { messages: [{ role: "user", content: "x" }], temperature: "hot" },
    { messages: [{ role: "user", content: "x" }], n: 0 },
    { messages: [{ role: "user", content: "x" }], model: 7 },
    {},
  ])("of wrong types is refused and says where: %j", async (body) => {
    const answer = await post(JSON.stringify(body));
    expectDocumented(answer, 400);
    expect(answer.json["error"]).toMatchObject({ param: expect.stringMatching(/^(messages|temperature|n|model)/) });
  });
  test("of 100 MB is refused with the limit", async () => {
    const answer = await post(`{"messages":[{"role":"user","content":"${"x".repeat(100 * 1024 * 1024)}"}]}`);
    expectDocumented(answer, 413);
    expect(answer.text).toContain("32 MB");
  }, 30_000);
  test("of 100 MB without a length is refused too", async () => {
    const part = new Uint8Array(1024 * 1024).fill(120);
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({ pull: (controller) => (sent++ < 100 ? controller.enqueue(part) : controller.close()) });
    const answer = await post(body).catch((thrown: unknown) => thrown);
    if (answer instanceof Error) return expect(String(answer)).toMatch(/closed|reset|socket|ECONN/i); // a client that goes on sending may see the connection end instead
    expectDocumented(answer as Answer, 413);
  }, 30_000);
  test.each(["[", '{"a":'])("nested 10,000 deep is refused: %s", async (open) => {
    const close = open === "[" ? "]" : "}";
    expectDocumented(
      await post(`{"messages":[{"role":"user","content":"x"}],"extra":${open.repeat(10_000)}1${close.repeat(10_000)}}`),
      400,
    );
  });
  test("of a content type that is not JSON is refused", async () =>
    expectDocumented(await post("hello", { "content-type": "text/plain" }), 400));
  test("with a 20 MB image passes", async () => {
    const answer = await chat(gateway, {
      messages: [
        {
          role: "user",
          content: [
            { type: "image_url", image_url: { url: `data:image/png;base64,${"A".repeat(20 * 1024 * 1024)}` } },
            { type: "text", text: "what is it" },
          ],
        },
      ],
    });
    expect(answer.status).toBe(200);
  }, 30_000);
});

describe("headers", () => {
  test.each([
    ["x-gateway-provider", "no-such-provider", /no-such-provider/],
    ["x-gateway-provider", "@nobody", /@nobody/],
    ["x-gateway-config", "pc-none", /pc-none/],
    ["x-gateway-config", "{not json", /not JSON/],
    ["x-gateway-config", '{"strategy":{"mode":"magic"},"targets":[{"provider":"sandbox"}]}', /magic/],
    ["x-gateway-config", '{"targets":[]}', /targets/],
    ["x-gateway-request-timeout", "soon", /whole number/],
    ["x-gateway-request-timeout", "0", /request-timeout/],
    ["x-gateway-cache-force-refresh", "perhaps", /true or false/],
    ["x-gateway-metadata", "{", /JSON/],
    ["x-gateway-forward-headers", "x-gateway-forward-headers", /never forwarded/],
    ["x-gateway-config", '{"provider":"sandbox","input_guardrails":["pg-none"]}', /pg-none/],
    ["x-gateway-config", '{"provider":"sandbox","input_guardrails":[{"default.nothing":{}}]}', /nothing/],
  ])("%s: %s is refused with a sentence", async (name, value, says) => {
    const answer = await chat(gateway, {}, { [name]: value });
    expectDocumented(answer, 400);
    expect(answer.text).toMatch(says);
  });
  test("that bomb the parser do not harm the process", async () => {
    const answer = await chat(gateway, {}, { "x-bomb": "x".repeat(1024 * 1024) }).catch(() => undefined);
    if (answer) expect(answer.status).toBeGreaterThanOrEqual(400);
    const many = Object.fromEntries(Array.from({ length: 5000 }, (_, i) => [`x-h-${i}`, "v"]));
    const second = await chat(gateway, {}, many).catch(() => undefined);
    if (second) expect(second.status).toBeGreaterThanOrEqual(400);
  });
  test("with line breaks in a raw request are refused", async () => {
    const answer = await raw("POST /v1/chat/completions HTTP/1.1\r\nHost: x\r\nx-gateway-api-key: a\r\n b\r\nContent-Length: abc\r\n\r\n");
    expect(answer).toMatch(/^HTTP\/1\.1 4\d\d|^$/);
  });
});

const raw = (text: string): Promise<string> =>
  new Promise((resolve) => {
    let answer = "";
    const socket = connect(gateway.port, "127.0.0.1", () => socket.end(text));
    socket.on("data", (bytes) => {
      answer += bytes.toString();
    });
    socket.on("close", () => resolve(answer));
    socket.on("error", () => resolve(answer));
  });

describe("a custom host", () => {
  const hosts = (port: number): readonly string[] => [
    `http://127.0.0.1:${port}`,
    `http://localhost:${port}`,
    `http://0.0.0.0:${port}`,
    `http://[::1]:${port}`,
    `http://[::]:${port}`,
    `http://2130706433:${port}`,
    `http://0x7f000001:${port}`,
    `http://0177.0.0.1:${port}`,
    `http://127.1:${port}`,
    `http://127.0.0.1.:${port}`,
    `http://[::ffff:127.0.0.1]:${port}`,
    `http://[::ffff:7f00:1]:${port}`,
    `http://[64:ff9b::7f00:1]:${port}`,
    `http://[2002:7f00:1::]:${port}`,
    `http://[::127.0.0.1]:${port}`,
    `http://user@127.0.0.1:${port}`,
    `http://example.com#@127.0.0.1:${port}`,
    `http://example.com\\@127.0.0.1:${port}`,
    `http://１２７.0.0.1:${port}`,
    `http://127.0.0.1%00.example.com:${port}`,
    `http://localtest.me:${port}`,
    `http://127.0.0.1.nip.io:${port}`,
    "http://10.0.0.1",
    "http://172.16.0.1",
    "http://192.168.1.1",
    "http://169.254.169.254/latest/meta-data",
    "http://metadata.google.internal",
    "http://100.64.0.1",
    "http://192.0.0.1",
    "http://198.18.0.1",
    "http://224.0.0.1",
    "http://240.0.0.1",
    "http://[fc00::1]",
    "http://[fe80::1]",
    "http://[fec0::1]",
    "http://[fe80::1%25eth0]",
    "http://[2001::1]",
    "file:///etc/passwd",
    "gopher://127.0.0.1",
    "unix:/tmp/x.sock",
    "http://example.com:0",
    "//127.0.0.1",
    "nonsense",
  ];
  test(verifies("5.custom-host-private", "that is private is refused in every spelling, and is never connected to"), async () => {
    for (const host of hosts(canary.port)) {
      const answer = await chat(
        gateway,
        {},
        { "x-gateway-provider": "openai", "x-gateway-custom-host": encodeURI(host) === host ? host : encodeURI(host) },
      );
      expect({ host, status: answer.status }).toEqual({ host, status: 400 });
      expectDocumented(answer, 400);
    }
    expect(touched).toBe(0);
  });
});

test("an unknown route is a documented 404", async () =>
  expectDocumented(await ask(`${gateway.base}/v1/nothing`, "GET", GATEWAY_KEY), 404));
test("a route asked with another method is a documented 405", async () => expectDocumented(await ask(url(), "GET", GATEWAY_KEY), 405));
test("the control plane refuses with the specification's body", async () => {
  const answer = await ask(`${gateway.base}/v2/guardrails`, "GET", "nobody");
  expectDocumented(answer, 401);
  expect(answer.json["error"]).toMatchObject({ code: "AB05" });
});
