/** Files of batches: each of their lines is a request, and is judged like one before the provider has it. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { createServer } from "node:net";
import { jsonAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { at, forAll, type Json, logOf } from "./endpoints/api.ts";
import { denies } from "./guarded.ts";
import { ask, GATEWAY_KEY, until } from "./process.ts";

const api = forAll();
const FILE: Json = { id: "file-1", object: "file", bytes: 1, created_at: 1, filename: "b.jsonl", purpose: "batch" };
const line = (number: number, content: string, more: Json = {}): string =>
  JSON.stringify({
    ...{ custom_id: `r-${number}`, method: "POST", url: "/v1/chat/completions" },
    body: { model: "gpt-4o-mini", messages: [{ role: "user", content }] },
    ...more,
  });
const lines = (count: number, content = "a pear"): string[] => Array.from({ length: count }, (_, number) => line(number, content));

type Field = readonly [string, string | File];
const file = (text: string): Field => ["file", new File([text], "b.jsonl")];
const PURPOSE: Field = ["purpose", "batch"];
function formOf(...fields: readonly Field[]): FormData {
  const form = new FormData();
  for (const [name, value] of fields) form.append(name, value);
  return form;
}
interface Uploaded {
  readonly status: number;
  readonly id: string;
  readonly text: string;
  /** What the provider has of it. */
  readonly sent: string | null;
}
async function upload(form: FormData, guardrails: readonly Json[]): Promise<Uploaded> {
  api.upstream.answer(jsonAnswer(FILE));
  const before = api.upstream.received.length;
  const config = { provider: "openai", api_key: "k", custom_host: `${api.upstream.url}/v1`, input_guardrails: guardrails };
  const answer = await fetch(`${api.gateway.base}/v1/files`, {
    method: "POST",
    headers: { "x-gateway-api-key": GATEWAY_KEY, "x-gateway-config": JSON.stringify(config) },
    body: form,
  });
  const text = await answer.text();
  const id = answer.headers.get("x-gateway-request-id") ?? answer.headers.get("x-gateway-trace-id") ?? "";
  return { status: answer.status, id, text, sent: api.upstream.received.at(before)?.text() ?? null };
}
const hides = [{ id: "h", "default.regexReplace": { rule: "melon", redactText: "[fruit]" } }];

describe("the file of a batch", () => {
  test.each([false, true])(
    verifies("G.engine.batch", "reaches its provider as it came where every line passes (the file first: %p)"),
    async (isFirst) => {
      const text = `${lines(3).join("\r\n")}\r\n`;
      const { status, sent } = await upload(formOf(...(isFirst ? [file(text), PURPOSE] : [PURPOSE, file(text)])), denies("melon"));
      expect(status).toBe(200);
      expect(sent).toContain(text);
    },
  );
  test.each([
    [[PURPOSE, file([...lines(20), line(20, "a melon")].join("\n"))]],
    [[file([...lines(20), line(20, "a melon")].join("\n")), PURPOSE]],
  ])(verifies("G.engine.batch", "with a line that is denied does not reach it, not one byte"), async (fields) => {
    const { status, sent, text } = await upload(formOf(...fields), denies("melon"));
    expect({ status, sent }).toEqual({ status: 446, sent: null });
    expect(at(JSON.parse(text), "hook_results", "before_request_hooks", 0)).toMatchObject({ verdict: false, deny: true, line: 21 });
  });
  test("that is larger than is held is broken off at the line that is denied, which is never sent", async () => {
    const many = lines(60, `a pear ${"x".repeat(200_000)}`);
    const { status, sent } = await upload(formOf(PURPOSE, file([...many, line(60, "a melon"), ...lines(3)].join("\n"))), denies("melon"));
    expect(status).toBe(446);
    expect(sent ?? "").not.toContain("melon");
    expect(sent ?? "").not.toMatch(/--\r\n$/);
  }, 30_000);
  test(verifies("G.engine.batch", "is sent as its guardrails change it, line by line"), async () => {
    const text = [
      line(0, "a pear"),
      line(1, "a melon, melon"),
      "",
      line(2, "melon", { url: "/v1/embeddings", body: { model: "m", input: "melon" } }),
    ];
    const { status, sent } = await upload(formOf(PURPOSE, file(text.join("\n"))), hides);
    expect(status).toBe(200);
    expect(sent).toContain([text[0], line(1, "a [fruit], [fruit]"), ""].join("\n"));
    expect(sent).toContain('"input":"[fruit]"');
    expect(sent).not.toContain("melon");
  });
  test.each<readonly [string, string]>([
    ["is no JSON", "not json"],
    ["asks no operation", line(0, "x", { url: "/v1/nothing" })],
    ["has no body", JSON.stringify({ custom_id: "1", url: "/v1/chat/completions" })],
    ["names a member twice", '{"custom_id":"1","url":"/v1/chat/completions","body":{"messages":[],"messages":[]}}'],
    ["spells one otherwise", '{"custom_id":"1","url":"/v1/chat/completions","body":{"Messages":[{"role":"user","content":"melon"}]}}'],
    ["holds tokens", '{"custom_id":"1","url":"/v1/embeddings","body":{"input":[1,2]}}'],
    ["is too long", line(0, "x".repeat(5_000_000))],
  ])(verifies("G.engine.batch-unread", "with a line that %s is refused where a guardrail denies"), async (_, broken) => {
    const refused = await upload(formOf(PURPOSE, file([line(0, "a pear"), broken].join("\n"))), denies("melon"));
    expect({ status: refused.status, sent: refused.sent }).toEqual({ status: 403, sent: null });
    expect(refused.text).toContain("line 2");
    const watched = await upload(formOf(PURPOSE, file([line(0, "a pear"), broken].join("\n"))), [
      { id: "w", "default.contains": { words: ["melon"], operator: "none" } },
    ]);
    expect(watched.status).toBe(200);
  });
  test("is refused where two readers could take its purpose for two", async () => {
    expect((await upload(formOf(["purpose", "assistants"], file("anything"), PURPOSE), denies("melon"))).status).toBe(400);
  });
  test("of another purpose is not read", async () => {
    const { status, sent } = await upload(formOf(["purpose", "assistants"], file("a melon")), denies("melon"));
    expect(status).toBe(200);
    expect(sent).toContain("a melon");
    expect((await upload(formOf(file("a melon"), ["purpose", "assistants"]), denies("melon"))).status).toBe(200);
  });
  test("is judged by the model that each line names", async () => {
    const models = [{ id: "m", deny: true, "default.modelWhitelist": { models: ["gpt-4o-mini"] } }];
    const other = line(1, "a pear", { body: { model: "gpt-4o", messages: [{ role: "user", content: "a pear" }] } });
    expect((await upload(formOf(PURPOSE, file([line(0, "a pear"), other].join("\n"))), models)).status).toBe(446);
  });
  test("that fails and is not denied is 246, and the log names the line", async () => {
    const { status, id } = await upload(formOf(PURPOSE, file([line(0, "a pear"), line(1, "a melon"), line(2, "a pear")].join("\n"))), [
      { id: "w", "default.contains": { words: ["melon"], operator: "none" } },
    ]);
    expect(status).toBe(246);
    const log = await logOf(api, id, "?type=hooks");
    expect(JSON.stringify(log)).toContain('"line":2');
  });
});

describe("the file of a batch that its provider never takes to its end", () => {
  const watches = [{ id: "w", "default.contains": { words: ["melon"], operator: "none" } }];
  /** Accepts and reads nothing: what is sent to it never ends. */
  const silent = createServer((socket) => void socket.pause());
  let silentAt = "";
  beforeAll(async () => {
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const bound = silent.address();
    silentAt = `http://127.0.0.1:${typeof bound === "object" ? bound?.port : ""}`;
  });
  afterAll(() => void silent.close());
  const trusting = forAll({ GATEWAY_TRUSTED_HOSTS: "127.0.0.1" });
  const gauge = async (name: string): Promise<number> => {
    const { text } = await ask(`${trusting.gateway.base}/metrics`, "GET", null);
    return Number(new RegExp(`^${name} (\\d+)$`, "m").exec(text)?.[1]);
  };

  test.each<readonly [string, () => string, number]>([
    ["refuses the connection", () => "http://127.0.0.1:9", 502],
    ["does not answer in time", () => silentAt, 408],
    ["is a host that is blocked", () => "http://10.0.0.1", 400],
  ])(
    verifies("G.engine.batch-settled", "is told of in the log all the same: its provider %s"),
    async (_, host, status) => {
      const config = { provider: "openai", api_key: "k", custom_host: `${host()}/v1`, input_guardrails: watches, request_timeout: 1_500 };
      const answer = await fetch(`${trusting.gateway.base}/v1/files`, {
        method: "POST",
        headers: { "x-gateway-api-key": GATEWAY_KEY, "x-gateway-config": JSON.stringify(config) },
        body: formOf(PURPOSE, file(lines(60, `a pear ${"x".repeat(200_000)}`).join("\n"))),
      });
      expect(answer.status).toBe(status);
      await answer.text();
      await logOf(trusting, answer.headers.get("x-gateway-request-id") ?? answer.headers.get("x-gateway-trace-id") ?? "");
      await until("no request is under way", async () => (await gauge("gateway_in_flight_requests")) === 0);
      await until("its memory is given back", async () => (await gauge("gateway_memory_used_bytes")) === 0);
    },
    30_000,
  );
});

describe("the answers of a batch", () => {
  const answered = (number: number, content: string): string =>
    JSON.stringify({
      ...{ id: `batch_req_${number}`, custom_id: `r-${number}`, error: null },
      response: { status_code: 200, body: { object: "chat.completion", choices: [{ index: 0, message: { role: "assistant", content } }] } },
    });
  const anthropic = (text: string): string =>
    JSON.stringify({
      custom_id: "r-2",
      result: {
        type: "succeeded",
        message: { type: "message", role: "assistant", content: [{ type: "text", text }], stop_reason: "end_turn" },
      },
    });
  async function downloaded(file: string | Uint8Array, guardrails: readonly Json[], path = "/v1/files/file-9/content") {
    const type = { "content-type": "application/octet-stream" };
    api.upstream.answer((request) =>
      request.path.endsWith("/content")
        ? { body: file, headers: type }
        : jsonAnswer({ id: "batch_1", status: "completed", output_file_id: "file-9" }),
    );
    const config = { provider: "openai", api_key: "k", custom_host: `${api.upstream.url}/v1`, output_guardrails: guardrails };
    const answer = await fetch(`${api.gateway.base}${path}`, {
      headers: { "x-gateway-api-key": GATEWAY_KEY, "x-gateway-config": JSON.stringify(config) },
    });
    return { status: answer.status, bytes: await answer.bytes().catch(() => new Uint8Array()) };
  }
  const textOf = ({ bytes }: { readonly bytes: Uint8Array }): string => new TextDecoder().decode(bytes);
  test.each(["/v1/files/file-9/content", "/v1/batches/batch_1/output"])(
    verifies("G.engine.batch-answers", "are judged line by line as they are downloaded from %s"),
    async (path) => {
      const passing = `${answered(1, "a pear")}\n${answered(2, "a plum")}\n`;
      const passed = await downloaded(passing, denies("melon"), path);
      expect([passed.status, textOf(passed)]).toEqual([200, passing]);
      const denied = await downloaded(`${passing}${answered(3, "a melon")}`, denies("melon"), path);
      expect(denied.status).toBe(446);
      expect(textOf(denied)).not.toContain("a pear");
      expect(textOf(denied)).toContain('"line":3');
      const changed = await downloaded(`${passing}${answered(3, "a melon")}`, hides, path);
      expect([changed.status, textOf(changed)]).toEqual([200, `${passing}${answered(3, "a [fruit]")}`]);
    },
  );
  test("that are larger than is held are broken off at the line that is denied", async () => {
    const many = Array.from({ length: 60 }, (_, number) => answered(number, "x".repeat(200_000)));
    const broken = await downloaded([...many, answered(60, "a melon"), answered(61, "a pear")].join("\n"), denies("melon"));
    expect(textOf(broken)).not.toContain("melon");
    expect(textOf(broken)).not.toContain("a pear");
  });
  test.each<readonly [string, string]>([
    ["begins with a blank", ` ${answered(2, "a melon")}`],
    ["begins with a tab and blanks", `\t  ${answered(2, "a melon")}`],
    ["begins with a byte order mark", `\ufeff${answered(2, "a melon")}`],
    ["begins with a byte order mark and a blank", `\ufeff ${answered(2, "a melon")}`],
    ["is in the form of Anthropic", anthropic("a melon")],
  ])(verifies("G.engine.batch-answers", "are judged where one %s"), async (_, melon) => {
    const denied = await downloaded(`${answered(1, "a pear")}\n${melon}\n`, denies("melon"));
    expect(denied.status).toBe(446);
    expect(textOf(denied)).toContain('"line":2');
    const changed = await downloaded(`${answered(1, "a pear")}\n${melon}\n`, hides);
    expect(changed.status).toBe(200);
    expect(textOf(changed)).toContain("a [fruit]");
    expect(textOf(changed)).not.toContain("melon");
  });
  test(
    verifies("G.engine.batch-unread", "of a form that nobody knows are refused where a guardrail denies, and pass where none does"),
    async () => {
      const unknown = `${answered(1, "a pear")}\n{"recordId":"1","modelOutput":{"text":"a melon"}}\n`;
      const refused = await downloaded(unknown, denies("melon"));
      expect(refused.status).toBe(403);
      expect(textOf(refused)).toContain("line 2");
      const watched = await downloaded(unknown, [{ id: "w", "default.contains": { words: ["melon"], operator: "none" } }]);
      expect([watched.status, textOf(watched)]).toEqual([200, unknown]);
    },
  );
  const melon = answered(2, "a melon");
  const inBytes = (text: string): Buffer => Buffer.from(text, "latin1");
  test.each<readonly [string, Buffer, number]>([
    ["holds a byte that is no UTF-8", inBytes(`${answered(1, "a pear")}\n${melon.replace("batch_req", "\xff")}\n`), 2],
    ["holds such a byte, and is the first", inBytes(`${melon.replace("batch_req", "\xff")}\n`), 1],
    ["is UTF-16", Buffer.from(melon, "utf16le"), 1],
    ["is UTF-16 with a byte order mark", Buffer.from(`\ufeff${melon}`, "utf16le"), 1],
    ["is UTF-16, its big bytes first", Buffer.from(melon, "utf16le").swap16(), 1],
    ["holds a number that some readers know", inBytes(melon.replace(":200", ":NaN")), 1],
    ["ends with a comma, as some readers let it", inBytes(`${melon.replace(/\}$/, ",}")}\n`), 1],
  ])(verifies("G.engine.batch-unread", "that one cannot read, and another may, are refused: where one %s"), async (_, bytes, number) => {
    const refused = await downloaded(bytes, denies("melon"));
    expect([refused.status, textOf(refused)]).toEqual([403, expect.stringContaining(`line ${number}`)]);
    const watched = await downloaded(bytes, [{ id: "w", "default.contains": { words: ["melon"], operator: "none" } }]);
    expect([watched.status, Buffer.from(watched.bytes).equals(bytes)]).toEqual([200, true]);
  });
  test("that failed, and the requests of a batch, hold no answer and pass", async () => {
    const none = [
      JSON.stringify({ id: "batch_req_1", custom_id: "r-1", response: null, error: { code: "batch_expired", message: "too late" } }),
      JSON.stringify({ custom_id: "r-2", result: { type: "errored", error: { type: "error" } } }),
      line(3, "a pear"),
    ].join("\n");
    expect(textOf(await downloaded(none, denies("melon")))).toBe(none);
  });
  test("and any other file passes as it came", async () => {
    const bytes = new Uint8Array(5_000_000).map((_, at) => (at * 7) % 256);
    expect(Buffer.from((await downloaded(bytes, denies("melon"))).bytes).equals(Buffer.from(bytes))).toBeTrue();
    const pretty = '{\n  "text": "a melon"\n}\n';
    expect(textOf(await downloaded(pretty, denies("melon")))).toBe(pretty);
  });
});
