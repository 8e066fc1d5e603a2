/** The gateway on Deno with the embedded default, over real sockets: what its README says of it there. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import net from "node:net";
import { ADMIN_KEY, ask, chat, type GatewayProcess, startGateway, until } from "../e2e/process.ts";
import { chunk, head, type WireUpstream, wireUpstream } from "../e2e/wire-upstream.ts";
import { freePort } from "../servers/port.ts";
import { endedOnDeno, gatewayOnDeno } from "./on-deno.ts";
import { httpsVendor, type Vendor } from "./vendor.ts";

const hasOpenssl = Bun.which("openssl") !== null;
const started: GatewayProcess[] = [];
let vendor: Vendor | undefined;
let silent: WireUpstream;
let gateway: GatewayProcess;

const start = async (options: Parameters<typeof gatewayOnDeno>[0] = {}): Promise<GatewayProcess> => {
  const running = await gatewayOnDeno(options);
  started.push(running);
  return running;
};
beforeAll(async () => {
  if (hasOpenssl) vendor = await httpsVendor(["localhost"]);
  const frame = `data: ${JSON.stringify({ id: "c", object: "chat.completion.chunk", choices: [{ index: 0, delta: { content: "first" } }] })}\n\n`;
  silent = await wireUpstream({
    begun: (call) => {
      call.send(head("text/event-stream"));
      call.send(chunk(frame));
    },
  });
  gateway = await start({
    env: {
      REQUEST_TIMEOUT: "3000",
      GATEWAY_TRUSTED_HOSTS: `localhost:${vendor?.port ?? 1},127.0.0.1:${silent.port}`,
      ...(vendor && { NODE_EXTRA_CA_CERTS: vendor.authority }),
    },
  });
}, 30_000);
afterAll(async () => {
  for (const running of started) await running.stop("SIGKILL");
  for (const running of started) running.remove();
  silent.close();
  vendor?.close();
});

const saveConfig = async (of: GatewayProcess, name: string): Promise<string> => {
  const config = { provider: "sandbox" };
  const { status, text, json } = await ask(`${of.base}/v2/configs`, "POST", ADMIN_KEY, { name, workspace_id: "default", config });
  if (status !== 200) throw new Error(text);
  return String((json["data"] as unknown as { readonly slug: string }).slug);
};
const asking = (content: string) => ({ messages: [{ role: "user", content }] });
const underConfig = (of: GatewayProcess, slug: string, content = "Hello") =>
  chat(of, asking(content), { "x-gateway-provider": "", "x-gateway-config": slug });

describe("a request", () => {
  test("is answered", async () => {
    const { status, text } = await chat(gateway, asking("Hello Deno"));
    expect([status, text]).toEqual([200, expect.stringContaining("Hello Deno")]);
  });
  test("is streamed, frame by frame to the last", async () => {
    const { status, text, headers } = await chat(gateway, { stream: true, sandbox: { chunks: 15 } });
    expect([status, headers.get("content-type")]).toEqual([200, "text/event-stream; charset=utf-8"]);
    expect(text.split("\n\n").filter((frame) => /"content":"[^"]/.test(frame)).length).toBe(15);
    expect(text).toEndWith("data: [DONE]\n\n");
  });
  test("is denied by a guardrail that fails", async () => {
    const config = { provider: "sandbox", input_guardrails: [{ "default.regexMatch": { rule: "secret", not: true }, deny: true }] };
    const { status, text } = await chat(gateway, asking("a secret"), { "x-gateway-config": JSON.stringify(config) });
    expect([status, text]).toEqual([446, expect.stringContaining('"verdict":false')]);
  });
  test("is judged in a process of its own where that may take long", async () => {
    const rule = "(a+b?)+$";
    const config = { provider: "sandbox", input_guardrails: [{ "default.regexMatch": { rule, not: true }, deny: true }] };
    const long = `${"aab".repeat(60_000)}c`;
    expect((await chat(gateway, asking(long), { "x-gateway-config": JSON.stringify(config) })).status).toBe(200);
    const { text } = await ask(`${gateway.base}/metrics`, "GET", null);
    for (const what of ["done", "started"]) expect(Number(new RegExp(`what="${what}"} (\\d+)`).exec(text)?.[1])).toBeGreaterThan(0);
  }, 30_000);
  test("of an unknown key is refused", async () => {
    expect((await chat({ base: gateway.base, gatewayKey: "nobody" }, {})).status).toBe(401);
  });
  test("goes under a config that was saved, and its log keeps a long text whole", async () => {
    const long = "A long text, told again. ".repeat(2_000);
    const answer = await underConfig(gateway, await saveConfig(gateway, "saved"), long);
    expect([answer.status, answer.headers.get("x-gateway-provider")]).toEqual([200, "sandbox"]);
    const url = `${gateway.base}/v1/logs/${answer.headers.get("x-gateway-request-id")}`;
    const log = await until("its log is there", async () => {
      const found = await ask(url, "GET", gateway.gatewayKey);
      return found.status === 200 && found;
    });
    expect(log.text).toContain(long);
  }, 30_000);
  test("whose client leaves is cut at the provider too", async () => {
    const controller = new AbortController();
    const response = await fetch(`${gateway.base}/v1/chat/completions`, {
      method: "POST",
      headers: {
        "x-gateway-api-key": gateway.gatewayKey,
        "x-gateway-provider": "openai",
        "x-gateway-custom-host": `${silent.url}/begun`,
        authorization: "Bearer k",
        "content-type": "application/json",
      },
      body: JSON.stringify({ model: "m", stream: true, ...asking("Hello") }),
      signal: controller.signal,
    });
    const reader = response.body?.getReader();
    expect(new TextDecoder().decode((await reader?.read())?.value)).toContain("first");
    controller.abort();
    await until("the provider's connection is let go", () => silent.calls[0]?.closedAt !== null);
  }, 30_000);
});

test("a provider that falls silent is a timeout, also where a guardrail holds its answer back", async () => {
  const held = { output_guardrails: [{ "default.regexMatch": { rule: "never said", not: true }, deny: true }] };
  for (const config of [{}, held]) {
    const { text } = await chat(
      gateway,
      { stream: true, ...asking("Hello") },
      {
        "x-gateway-config": JSON.stringify({ provider: "openai", custom_host: `${silent.url}/begun`, ...config }),
        "x-gateway-provider": "openai",
        authorization: "Bearer k",
      },
    );
    expect(text).toContain("timeout_error");
  }
}, 30_000);

test("a client that leaves in the middle of its body is no failure of the gateway", async () => {
  const before = gateway.output().length;
  const socket = net.connect(gateway.port, "127.0.0.1");
  const ended = (text: string): number =>
    Number(/gateway_requests_total\{[^}]*provider=""[^}]*ended="aborted"\} (\d+)/.exec(text)?.[1] ?? 0);
  const metrics = async (): Promise<string> => (await ask(`${gateway.base}/metrics`, "GET", null)).text;
  const leftBefore = ended(await metrics());
  socket.write(
    `POST /v1/chat/completions HTTP/1.1\r\nhost: gateway\r\nx-gateway-api-key: ${gateway.gatewayKey}\r\n` +
      'x-gateway-provider: sandbox\r\ncontent-type: application/json\r\ncontent-length: 1000\r\n\r\n{"model":',
    () => socket.destroy(),
  );
  await until("the request has ended", async () => ended(await metrics()) > leftBefore);
  expect(gateway.output().slice(before)).not.toContain("request failed inside");
}, 30_000);

describe("the path of a request", () => {
  /** The first line and the body of what a raw request is answered. */
  const raw = (target: string, host: string): Promise<string> =>
    new Promise((resolve, reject) => {
      let text = "";
      const socket = net.connect(gateway.port, "127.0.0.1", () => {
        socket.write(`GET ${target} HTTP/1.1\r\nhost: ${host}\r\nx-gateway-api-key: ${gateway.gatewayKey}\r\nconnection: close\r\n\r\n`);
      });
      socket.on("data", (data) => {
        text += data.toString();
      });
      socket.on("end", () => resolve(text));
      socket.on("error", reject);
    });
  test("is resolved before anybody reads it", async () => {
    for (const target of ["/docs/../healthz", "/x/./%2e%2e/healthz", "/x\\..\\healthz"])
      expect(await raw(target, "gateway")).toMatch(/^HTTP\/1\.1 200 [\s\S]*\{"status":"ok"\}/);
  });
  test("is not chosen by the Host", async () => {
    for (const host of ["gateway/healthz?", "gateway/healthz#", "a@b/healthz?", "gateway\\healthz?"])
      expect(await raw("/v1/models", host)).toMatch(/^HTTP\/1\.1 400 /);
  });
});

test.skipIf(!hasOpenssl)("an HTTPS provider is called by its name", async () => {
  const { status, text } = await chat(gateway, asking("Hello"), {
    "x-gateway-provider": "openai",
    "x-gateway-custom-host": `https://localhost:${vendor?.port}/v1`,
    authorization: "Bearer k",
  });
  expect([status, text]).toEqual([200, expect.stringContaining("by name")]);
  expect(vendor?.asked).toEqual([{ sni: "localhost", host: `localhost:${vendor?.port}`, body: expect.stringContaining("Hello") }]);
});

test("a new generation takes over, asked for by the admin plane and by SIGHUP", async () => {
  const generation = async (): Promise<number> => {
    const { json } = await ask(`${gateway.base}/admin/v2/plugins`, "GET", ADMIN_KEY);
    return Number(json["generation"]);
  };
  const before = await generation();
  expect((await ask(`${gateway.base}/admin/v2/generations`, "POST", ADMIN_KEY)).status).toBe(200);
  expect(await generation()).toBe(before + 1);
  process.kill(gateway.pid, "SIGHUP");
  await until("the next one serves", async () => (await generation()) === before + 2);
  expect((await chat(gateway, {})).status).toBe(200);
}, 30_000);

test("a command that works on the source tree says that it is written for Bun", async () => {
  const { code, printed } = await endedOnDeno(["build"]);
  expect([code, printed]).toEqual([2, expect.stringContaining("gateway build is written for Bun: run it with `npx bun core/main.ts`.")]);
}, 30_000);

test("kill -9 takes nothing that was acknowledged", async () => {
  const killed = await start();
  const slug = await saveConfig(killed, "kept");
  await killed.stop("SIGKILL");
  const again = await start({ dataDir: killed.dataDir });
  expect((await underConfig(again, slug)).status).toBe(200);
  expect(await again.stop()).toBe(0);
}, 40_000);

test("a data folder goes from Deno to Bun and back, records and logs", async () => {
  const first = await start();
  const slug = await saveConfig(first, "moved");
  const long = "Kept in few bytes by one runtime, read by the other. ".repeat(1_000);
  const { headers } = await underConfig(first, slug, long);
  expect(await first.stop()).toBe(0);
  for (const startOn of [startGateway, gatewayOnDeno]) {
    const next = await startOn({ dataDir: first.dataDir });
    started.push(next);
    expect((await underConfig(next, slug)).status).toBe(200);
    const log = await ask(`${next.base}/v1/logs/${headers.get("x-gateway-request-id")}`, "GET", next.gatewayKey);
    expect(log.text).toContain(long);
    expect(await next.stop()).toBe(0);
  }
}, 60_000);

test("several workers share a port, and end with their supervisor", async () => {
  const port = await freePort();
  const workers = await start({ env: { PORT: String(port), GATEWAY_WORKERS: "2" } });
  await until("both listen", () => workers.output().split("worker.listening").length > 2, 30_000);
  const answers = await Promise.all(Array.from({ length: 20 }, () => chat(workers, {})));
  expect(answers.map(({ status }) => status)).toEqual(answers.map(() => 200));
  expect(await workers.stop()).toBe(0);
}, 60_000);
