/** What asks for more memory than there is: the process stays near its budget, goes on answering, and has everything back. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import zlib from "node:zlib";
import { chat, GATEWAY_KEY, type GatewayProcess, startGateway, until } from "../e2e/process.ts";
import { metric, peakMb, rawClient, resetPeak, rssMb, watchHealth } from "./memory.ts";

const BUDGET_MB = 256;
/** Beyond the idle process: what the budget holds, and as much again of garbage that is not collected yet. */
const ALLOWED_MB = 2 * BUDGET_MB;
const MB = 1024 * 1024;

const piece = (content: string, finish: string | null = null): string =>
  `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, delta: { content }, finish_reason: finish }] })}\n\n`;
const PART = Buffer.from(piece("word ".repeat(800)).repeat(16));
const END = Buffer.from(`${piece("", "stop")}data: [DONE]\n\n`);
/** So many bytes, as fast as they are taken, and an end. */
function streamOf(bytes: number): ReadableStream<Uint8Array> {
  let sent = 0;
  return new ReadableStream(
    {
      pull(to) {
        const part = sent < bytes ? PART : END;
        to.enqueue(part);
        if (part === END) to.close();
        sent += part.length;
      },
    },
    { highWaterMark: 0 },
  );
}
const long = Buffer.from(`{"choices":[],"long":"${"A".repeat(200 * MB)}"}`);
const gzip = zlib.gzipSync(long, { level: 1 });
const BOMBS: Readonly<Record<string, Uint8Array<ArrayBuffer>>> = {
  gzip,
  deflate: zlib.deflateSync(long, { level: 1 }),
  br: Uint8Array.from(zlib.brotliCompressSync(long, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 2 } })),
  zstd: zlib.zstdCompressSync(long),
  "gzip, gzip": zlib.gzipSync(gzip),
};
const OK = {
  id: "c",
  object: "chat.completion",
  created: 1,
  model: "m",
  choices: [{ index: 0, message: { role: "assistant", content: "ok" }, finish_reason: "stop" }],
  usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
};

let gateway: GatewayProcess;
let upstream: Bun.Server<undefined>;
let idleMb = 0;
let reached = 0;
beforeAll(async () => {
  upstream = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(request) {
      const [, kind = ""] = new URL(request.url).pathname.split("/");
      reached += 1;
      if (kind.startsWith("stream"))
        return new Response(streamOf(Number(kind.slice(6)) * MB), { headers: { "content-type": "text/event-stream" } });
      const encoding = decodeURIComponent(kind);
      const bomb = BOMBS[encoding];
      if (bomb) return new Response(bomb, { headers: { "content-type": "application/json", "content-encoding": encoding } });
      await request.arrayBuffer();
      return Response.json(OK);
    },
  });
  gateway = await startGateway({
    env: { GATEWAY_TRUSTED_HOSTS: `127.0.0.1:${upstream.port}`, GATEWAY_MEMORY_MB: String(BUDGET_MB), REQUEST_TIMEOUT: "60000" },
  });
  for (let i = 0; i < 20; i += 1) await chat(gateway, {}, to("ok"));
  idleMb = rssMb(gateway);
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.stop(true);
});

const GUARD = { output_guardrails: [{ "default.contains": { words: ["bad"], operator: "none" }, deny: true }] };
const to = (path: string, config: object = {}) => ({
  "x-gateway-provider": "",
  "x-gateway-config": JSON.stringify({
    provider: "openai",
    api_key: "k",
    custom_host: `http://127.0.0.1:${upstream.port}/${encodeURIComponent(path)}`,
    ...config,
  }),
});
const askBody = (content: string, more: object = {}): string =>
  JSON.stringify({ model: "m", messages: [{ role: "user", content }], ...more });

/** The process's peak over the attack, while `/healthz` is asked all the time; then the budget is back. */
async function attacked<T>(what: string, attack: () => Promise<T>): Promise<T> {
  resetPeak(gateway);
  const health = watchHealth(gateway);
  const result = await attack();
  const { asked, failed, slowestMs } = await health.stop();
  const peak = peakMb(gateway);
  console.log(
    `${what}: peak ${peak.toFixed(0)} MB, now ${rssMb(gateway).toFixed(0)} (idle ${idleMb.toFixed(0)}, budget ${BUDGET_MB}); /healthz ${asked} times, slowest ${slowestMs.toFixed(0)} ms; ${JSON.stringify(result)}`,
  );
  await until("the budget is whole again", async () => (await metric(gateway, "gateway_memory_used_bytes")) === 0, 10_000);
  await until("no upstream is open", async () => (await metric(gateway, "gateway_upstream_open")) === 0, 10_000);
  expect(peak).toBeLessThan(idleMb + ALLOWED_MB);
  expect(failed).toBe(0);
  return result;
}
type Answers = Readonly<Record<string, number>>;
const counted = (answers: readonly string[]): Answers => {
  const counts: Record<string, number> = {};
  for (const answer of answers) counts[answer] = (counts[answer] ?? 0) + 1;
  return counts;
};
const atOnce = async (count: number, body: string, path: string): Promise<Answers> =>
  counted(
    await Promise.all(
      Array.from({ length: count }, async () => {
        const headers = { "content-type": "application/json", "x-gateway-api-key": GATEWAY_KEY, ...to(path) };
        const response = await fetch(`${gateway.base}/v1/chat/completions`, { method: "POST", headers, body });
        await response.text();
        return response.status === 503 ? `503 after ${response.headers.get("retry-after")}` : String(response.status);
      }),
    ),
  );

test("twenty clients that do not read guarded answers of 20 MB", async () => {
  const statuses = await attacked("20 stalled readers", async () => {
    const clients = Array.from({ length: 20 }, () => {
      const client = rawClient(gateway, to("stream20", GUARD), askBody("much", { stream: true }));
      void client.status.then(() => client.socket.pause());
      return client;
    });
    const answers = counted((await Promise.all(clients.map(({ status }) => status))).map(String));
    expect((await chat(gateway, {}, to("ok"))).status).toBe(200); // small requests go on
    for (const { socket } of clients) socket.destroy();
    return answers;
  });
  expect(Object.keys(statuses).sort()).toEqual(["200", "503"]);
  expect(statuses["200"]).toBeGreaterThan(1);
}, 120_000);

test("guarded answers that are read come whole", async () => {
  const lengths = await attacked("3 readers", () =>
    Promise.all(
      Array.from({ length: 3 }, async () => {
        const answer = await chat(gateway, { stream: true }, to("stream15", GUARD));
        return answer.status === 200 && answer.text.endsWith("data: [DONE]\n\n") ? Math.floor(answer.text.length / MB) : answer.status;
      }),
    ),
  );
  expect(lengths).toEqual([15, 15, 15]);
}, 60_000);

describe("bodies of 31 MB", () => {
  const body = askBody("x".repeat(31_000_000));
  test.each([10, 50])(
    "%d at once",
    async (count) => {
      const before = reached;
      const answers = await attacked(`${count} bodies`, () => atOnce(count, body, "ok"));
      expect(Object.keys(answers).sort()).toEqual(["200", "503 after 2"]);
      expect(reached - before).toBe(answers["200"] ?? 0); // the refused ones reached nobody
    },
    120_000,
  );
  test("that nest are judged by what they become", async () => {
    const nested = `{"model":"m","messages":[{"role":"user","content":"x"}],"a":[${"{},".repeat(10_000_000)}{}]}`;
    const answers = await attacked("nested bodies", () => atOnce(3, nested, "ok"));
    for (const status of Object.keys(answers)) expect(["413", "503 after 2"]).toContain(status); // while one is read, others wait
    expect(answers["413"]).toBeGreaterThan(0);
  }, 60_000);
});

test.each(Object.keys(BOMBS))(
  "fifteen answers packed by %s, each larger than may be",
  async (packed) => {
    const answers = await attacked(`15 bombs of ${packed}`, () => atOnce(15, askBody("x"), packed));
    for (const status of Object.keys(answers)) expect(["502", "503 after 2"]).toContain(status);
  },
  60_000,
);

test("memory comes back, and the process serves on", async () => {
  expect((await chat(gateway, {}, to("ok"))).status).toBe(200);
  await until("memory is near what it was", () => rssMb(gateway) < idleMb + BUDGET_MB, 30_000);
}, 60_000);
