/**
 * `npm run bench`: a mock upstream, the floor and the gateway in one run. Ratios to the floor are what counts;
 * absolute times move with the machine. Profiles: `bare` (a provider header and a key) and `governed` (key with a
 * rate limit, a workspace policy, three guardrails, log store).
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Load, type Loaded, load } from "./load.ts";

const REQUESTS = Number(process.env["BENCH_REQUESTS"] ?? 6_000);
const STREAMS = Number(process.env["BENCH_STREAMS"] ?? 150);
const CHUNKS = 200;
const ROUNDS = Number(process.env["BENCH_ROUNDS"] ?? 3);
const WARM_REQUESTS = 10_000;
const WARM_STREAMS = 300;

const KEY = "benchGatewayKey0123456789abcdefABCDEF";
const ADMIN = "benchAdminKey0123456789abcdefABCDEFGH";
const bun = process.execPath;
const children: Bun.Subprocess[] = [];

interface Proc {
  readonly port: number;
  readonly pid: number;
}

async function start(args: readonly string[], env: Readonly<Record<string, string>> = {}): Promise<Proc> {
  const child = Bun.spawn([bun, ...args], { stdout: "pipe", stderr: "inherit", env: { ...process.env, ...env } });
  children.push(child);
  const port = await firstPort(child.stdout);
  return { port, pid: child.pid };
}

async function firstPort(stream: ReadableStream<Uint8Array>): Promise<number> {
  let text = "";
  const reader = stream.getReader();
  for (;;) {
    const { value, done } = await reader.read();
    if (done) throw new Error(`the process ended before it listened: ${text}`);
    text += new TextDecoder().decode(value);
    const port = /^(\d{3,5})\s*$/m.exec(text)?.[1] ?? /https?:\/\/127\.0\.0\.1:(\d+)/.exec(text)?.[1];
    if (port) {
      void (async () => {
        while (!(await reader.read()).done);
      })();
      return Number(port);
    }
  }
}

/** User and system CPU of a process and its memory, from /proc (clock ticks are 10 ms on Linux). */
async function usageOf(pid: number): Promise<{ cpuUs: number; rssMb: number }> {
  const stat = (await Bun.file(`/proc/${pid}/stat`).text()).split(") ")[1]?.split(" ") ?? [];
  const rss = /VmRSS:\s+(\d+)/.exec(await Bun.file(`/proc/${pid}/status`).text())?.[1] ?? "0";
  return { cpuUs: (Number(stat[11]) + Number(stat[12])) * 10_000, rssMb: Number(rss) / 1024 };
}

interface Row extends Loaded {
  readonly cpuUs: number;
}
async function measured(proc: Proc, what: Load): Promise<Row> {
  const before = await usageOf(proc.pid);
  const result = await load(what);
  const after = await usageOf(proc.pid);
  return { ...result, cpuUs: (after.cpuUs - before.cpuUs) / what.requests };
}

const message = (stream: boolean): string =>
  JSON.stringify({
    model: "bench-1",
    messages: [
      { role: "system", content: "You are a helpful assistant. ".repeat(8) },
      ...Array.from({ length: 6 }, (_, i) => ({
        role: i % 2 ? "assistant" : "user",
        content: `Turn ${i}: ${"tell me about foxes. ".repeat(6)}`,
      })),
      { role: "user", content: "And dogs?" },
    ],
    ...(stream && { stream: true }),
  });

const median = (values: readonly number[]): number => [...values].sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;

async function setUp(gateway: Proc, upstream: number): Promise<Record<"bare" | "governed", Record<string, string>>> {
  const base = `http://127.0.0.1:${gateway.port}`;
  const admin = { authorization: `Bearer ${ADMIN}`, "content-type": "application/json" };
  const post = async (path: string, body: unknown): Promise<Record<string, unknown>> => {
    const response = await fetch(base + path, { method: "POST", headers: admin, body: JSON.stringify(body) });
    const json = (await response.json()) as Record<string, unknown>;
    if (!response.ok) throw new Error(`${path}: ${response.status} ${JSON.stringify(json)}`);
    return json;
  };
  const workspace = (await (await fetch(`${base}/v2/api-keys?page_size=10`, { headers: admin })).json()) as {
    data: { type: string; workspace_id: string }[];
  };
  const workspaceId = workspace.data.find((key) => key.type === "workspace-service")?.workspace_id;
  const key = await post("/v2/api-keys/service", {
    name: "bench",
    workspace_id: workspaceId,
    scopes: ["completions.write"],
    rate_limits: [{ type: "requests", unit: "rpm", value: 100_000_000 }],
  });
  await post("/v2/policies/rate-limits", {
    name: "bench",
    workspace_id: workspaceId,
    type: "requests",
    unit: "rpm",
    value: 100_000_000,
    conditions: [{ key: "api_key", value: "*" }],
    group_by: [{ key: "api_key" }],
  });
  const actions = {
    deny: true,
    async: false,
    on_success: { feedback: { value: 5, weight: 1, metadata: "" } },
    on_fail: { feedback: { value: -5, weight: 1, metadata: "" } },
  };
  const guardrail = await post("/v2/guardrails", {
    name: "bench",
    workspace_id: workspaceId,
    actions,
    checks: [
      { id: "default.regexMatch", parameters: { rule: "forbidden-\\d+", not: true } },
      { id: "default.wordCount", parameters: { maxWords: 5000 } },
      { id: "default.contains", parameters: { words: ["drop table"], operator: "none" } },
    ],
  });
  const host = {
    "x-gateway-provider": "openai",
    "x-gateway-custom-host": `http://127.0.0.1:${upstream}/v1`,
    authorization: "Bearer sk-bench",
  };
  return {
    bare: { "x-gateway-api-key": KEY, "x-gateway-debug": "false", ...host },
    governed: {
      "x-gateway-api-key": String(key["key"]),
      ...host,
      "x-gateway-config": JSON.stringify({
        provider: "openai",
        custom_host: `http://127.0.0.1:${upstream}/v1`,
        input_guardrails: [guardrail["slug"]],
      }),
    },
  };
}

async function main(): Promise<void> {
  const dataDir = mkdtempSync(join(tmpdir(), "bench-"));
  try {
    const upstream = await start(["tests/bench/upstream.ts", "0", String(CHUNKS)]);
    const floor = await start(["tests/bench/floor.ts", String(upstream.port)]);
    const env = { PORT: "0", GATEWAY_API_KEY: KEY, GATEWAY_ADMIN_KEY: ADMIN, GATEWAY_TRUSTED_HOSTS: `127.0.0.1:${upstream.port}` };
    const bareProfile = join(dataDir, "bare.json");
    await Bun.write(bareProfile, JSON.stringify({ title: "bare", extends: "default", plugins: { "exporter/logs": { enabled: false } } }));
    const bare = await start(["core/main.ts", "serve"], { ...env, GATEWAY_PROFILE: bareProfile, GATEWAY_DATA_DIR: join(dataDir, "bare") });
    const gateway = await start(["core/main.ts", "serve"], { ...env, GATEWAY_DATA_DIR: join(dataDir, "governed") });
    const headers = await setUp(gateway, upstream.port);
    const idle = (await usageOf(gateway.pid)).rssMb;
    const cells = [
      { name: "floor", proc: floor, headers: {} as Record<string, string> },
      { name: "bare", proc: bare, headers: headers.bare },
      { name: "governed", proc: gateway, headers: headers.governed },
    ];
    const run = (cell: (typeof cells)[number], stream: boolean, connections: number, requests: number): Promise<Row> =>
      measured(cell.proc, {
        url: `http://127.0.0.1:${cell.proc.port}/v1/chat/completions`,
        headers: cell.headers,
        body: message(stream),
        connections,
        requests,
      });
    // What is measured is the compiled code, not its compilation.
    for (const cell of cells) {
      await run(cell, false, 32, Math.max(WARM_REQUESTS, REQUESTS));
      await run(cell, true, 16, Math.max(WARM_STREAMS, STREAMS));
    }

    const whole = new Map(cells.map(({ name }) => [name, [] as Row[]]));
    const single = new Map(cells.map(({ name }) => [name, [] as Row[]]));
    const streams = new Map(cells.map(({ name }) => [name, [] as Row[]]));
    const singleStreams = new Map(cells.map(({ name }) => [name, [] as Row[]]));
    for (let round = 0; round < ROUNDS; round += 1) {
      for (const cell of cells) {
        whole.get(cell.name)?.push(await run(cell, false, 32, REQUESTS));
        single.get(cell.name)?.push(await run(cell, false, 1, Math.ceil(REQUESTS / 6)));
        streams.get(cell.name)?.push(await run(cell, true, 16, STREAMS));
        singleStreams.get(cell.name)?.push(await run(cell, true, 1, Math.ceil(STREAMS / 3)));
      }
      console.error(`round ${round + 1} of ${ROUNDS} done`);
    }
    report(
      cells.map(({ name }) => name),
      whole,
      single,
      streams,
      singleStreams,
    );
    console.log(`\nmemory of the gateway: ${idle.toFixed(0)} MB idle, ${(await usageOf(gateway.pid)).rssMb.toFixed(0)} MB after the load`);
  } finally {
    for (const child of children) child.kill();
    rmSync(dataDir, { recursive: true, force: true });
  }
}

type Rows = ReadonlyMap<string, readonly Row[]>;
function report(names: readonly string[], whole: Rows, single: Rows, streams: Rows, singleStreams: Rows): void {
  const of = (rows: Rows, name: string, pick: (row: Row) => number): number => median((rows.get(name) ?? []).map(pick));
  const table = names.map((name) => ({
    profile: name,
    "CPU µs/request": of(whole, name, (row) => row.cpuUs).toFixed(0),
    "× floor": (of(whole, name, (row) => row.cpuUs) / of(whole, "floor", (row) => row.cpuUs)).toFixed(2),
    "requests/s": of(whole, name, (row) => row.perSecond).toFixed(0),
    "added p50 ms": (of(single, name, (row) => row.p50Ms) - of(single, "floor", (row) => row.p50Ms)).toFixed(3),
    "added p99 ms": (of(single, name, (row) => row.p99Ms) - of(single, "floor", (row) => row.p99Ms)).toFixed(3),
    "CPU µs/chunk": (of(streams, name, (row) => row.cpuUs) / CHUNKS).toFixed(1),
    "chunk × floor": (of(streams, name, (row) => row.cpuUs) / of(streams, "floor", (row) => row.cpuUs)).toFixed(2),
    // At one connection: under a load that takes all of the machine, the first token waits in line like everything else.
    "added TTFT ms": (of(singleStreams, name, (row) => row.firstP50Ms) - of(singleStreams, "floor", (row) => row.firstP50Ms)).toFixed(3),
    failed: [whole, single, streams, singleStreams].flatMap((rows) => rows.get(name) ?? []).reduce((sum, row) => sum + row.failed, 0),
  }));
  console.table(table);
  console.log("budgets: bare ≤ 1.5 × and governed ≤ 2.5 × the floor's CPU; added p50 ≤ 0.2 and 0.4 ms; chunk ≤ 1.3 ×");
}

await main();
