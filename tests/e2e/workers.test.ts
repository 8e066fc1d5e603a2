/** Several processes of one deployment: what changes the configuration of one changes that of all, and no request fails. */
import { afterEach, beforeEach, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSkip, newDatabase, postgresServer, redisServer, type Skip } from "../servers/index.ts";
import { freePort } from "../servers/port.ts";
import { ADMIN_KEY, type Answer, ask, chat, GATEWAY_KEY, type GatewayProcess, SOURCE, startGateway, until } from "./process.ts";

const WORKERS = [0, 1];
/** Of so many fresh connections each worker gets some. */
const SAMPLE = 40;
const running: GatewayProcess[] = [];
let home: string;
let profileFile: string;

const writeProfile = (plugins: object = {}): void =>
  writeFileSync(profileFile, JSON.stringify({ title: "Workers", extends: "default", plugins }));
beforeEach(() => {
  home = mkdtempSync(join(tmpdir(), "workers-"));
  profileFile = join(home, "profile.json");
  writeProfile();
});
afterEach(async () => {
  for (const gateway of running.splice(0)) {
    await gateway.stop();
    gateway.remove();
  }
  rmSync(home, { recursive: true, force: true });
});
const start = async (env: Readonly<Record<string, string>> = {}, dataDir?: string): Promise<GatewayProcess> => {
  const gateway = await startGateway({ env: { GATEWAY_PROFILE: profileFile, ...env }, ...(dataDir !== undefined && { dataDir }) });
  running.push(gateway);
  return gateway;
};

interface Line {
  readonly event: string;
  readonly worker?: number;
  readonly number?: number;
}
const lines = (printed: string): Line[] =>
  printed
    .split("\n")
    .filter((line) => line.startsWith("{") && line.endsWith("}"))
    .map((line) => JSON.parse(line) as Line); // the process log's own form
/** Workers that have said this, in order; one that said it twice is there twice. */
const saying = (printed: string, event: string, number?: number): number[] =>
  lines(printed)
    .filter((line) => line.event === event && (number === undefined || line.number === number))
    .map(({ worker = -1 }) => worker)
    .sort();
const started = (gateway: GatewayProcess, number: number): number[] => saying(gateway.output(), "generation.started", number);

async function startWorkers(): Promise<GatewayProcess> {
  const gateway = await start({ PORT: String(await freePort()), GATEWAY_WORKERS: String(WORKERS.length) });
  await until("every worker listens", () => saying(gateway.output(), "worker.listening").length === WORKERS.length, 10_000);
  return gateway;
}

/** A request over a connection of its own: any worker may get it. */
const fresh = (gateway: GatewayProcess, path: string, key: string | null = null): Promise<Response> =>
  fetch(gateway.base + path, { keepalive: false, headers: { ...(key !== null && { "x-gateway-api-key": key }) } });
const sample = async <T>(of: () => Promise<T>): Promise<T[]> => [...new Set(await Promise.all(Array.from({ length: SAMPLE }, of)))];
/** The generations that whoever answers reports. */
const generations = (gateway: GatewayProcess): Promise<number[]> =>
  sample(async () => ((await (await fresh(gateway, "/readyz")).json()) as { generation: number }).generation);
const reload = (gateway: GatewayProcess): Promise<Answer> => ask(`${gateway.base}/admin/v2/generations`, "POST", ADMIN_KEY);

const CHUNKS = 10;
/** One request over a connection of its own; what was wrong with it, if anything. */
async function one(gateway: GatewayProcess, stream: boolean): Promise<string | undefined> {
  try {
    const response = await fetch(`${gateway.base}/v1/chat/completions`, {
      method: "POST",
      keepalive: false,
      headers: { "content-type": "application/json", "x-gateway-api-key": GATEWAY_KEY, "x-gateway-provider": "sandbox" },
      body: JSON.stringify({
        model: "echo",
        messages: [{ role: "user", content: "Hello" }],
        ...(stream && { stream }),
        sandbox: { chunks: CHUNKS, chunk_latency_ms: stream ? 5 : 0 },
      }),
    });
    const text = await response.text();
    const whole = stream ? text.endsWith("data: [DONE]\n\n") : text.endsWith("}");
    return response.status === 200 && whole ? undefined : `${response.status} ${text.slice(-200)}`;
  } catch (thrown) {
    return String(thrown);
  }
}
/** Runs something while requests keep coming; none may fail. */
async function underTraffic(gateway: GatewayProcess, run: () => Promise<void>): Promise<void> {
  let over = false;
  let served = 0;
  const wrong: string[] = [];
  const clients = Array.from({ length: 6 }, async (_, index) => {
    while (!over) {
      const problem = await one(gateway, index % 2 === 0);
      served += 1;
      if (problem !== undefined) wrong.push(problem);
    }
  });
  try {
    await until("traffic flows", () => served > 20, 10_000);
    await run();
    const before = served;
    await until("traffic still flows", () => served > before + 20, 10_000);
  } finally {
    over = true;
    await Promise.all(clients);
  }
  expect(wrong).toEqual([]);
}

describe("several workers", () => {
  test("that are told to stop say so to load balancers until what is under way has ended", async () => {
    const gateway = await startWorkers();
    const slow = chat(gateway, { sandbox: { latency_ms: 3_000 } });
    await until("the request is under way", async () =>
      (await sample(async () => (await fresh(gateway, "/metrics", ADMIN_KEY)).text())).some((text) =>
        /^gateway_in_flight_requests\{worker="[01]"\} 1$/m.test(text),
      ),
    );
    const series = (await sample(async () => (await fresh(gateway, "/metrics", ADMIN_KEY)).text())).join("");
    for (const worker of WORKERS) expect(series).toContain(`gateway_plugin_up{plugin="api/chat",worker="${worker}"} 1`);
    expect(series).not.toMatch(/^gateway_\w+ /m);
    const ended = gateway.stop("SIGTERM");
    const stopping = await until("it is stopping", async () => {
      const ready = await fresh(gateway, "/readyz");
      return ready.status === 503 && (await ready.text());
    });
    expect(stopping).toContain("The gateway is stopping.");
    // The other worker may be gone, and take a connection with it that nobody had answered yet.
    const refused = await until("a request is answered", () => fresh(gateway, "/v1/models", GATEWAY_KEY).catch(() => undefined));
    expect([refused.status, refused.headers.get("retry-after")]).toEqual([503, expect.stringMatching(/^\d+$/)]);
    expect((await slow).status).toBe(200);
    expect(await ended).toBe(0);
  }, 30_000);

  test("SIGHUP to their supervisor gives every worker the new generation, and no request fails", async () => {
    const gateway = await startWorkers();
    expect(await generations(gateway)).toEqual([1]);
    writeProfile({ "api/models": { enabled: false } });
    await underTraffic(gateway, async () => {
      process.kill(gateway.pid, "SIGHUP");
      await until("every worker has the next generation", () => started(gateway, 2).length === WORKERS.length, 10_000);
    });
    expect(started(gateway, 2)).toEqual(WORKERS);
    expect(await generations(gateway)).toEqual([2]);
    expect(await sample(async () => (await fresh(gateway, "/v1/models", GATEWAY_KEY)).status)).toEqual([404]);
  }, 40_000);

  test("a new generation asked of one worker is every worker's, built once by each, and no request fails", async () => {
    const gateway = await startWorkers();
    writeProfile({ "api/models": { enabled: false } });
    await underTraffic(gateway, async () => {
      const answer = await reload(gateway);
      expect({ status: answer.status, json: answer.json as unknown }).toEqual({ status: 200, json: { number: 2 } });
      await until("every worker has the next generation", () => started(gateway, 2).length === WORKERS.length, 10_000);
    });
    expect(await generations(gateway)).toEqual([2]);
    expect(await sample(async () => (await fresh(gateway, "/v1/models", GATEWAY_KEY)).status)).toEqual([404]);
    writeProfile();
    expect((await reload(gateway)).json as unknown).toEqual({ number: 3 });
    await until("and the one after it", () => started(gateway, 3).length === WORKERS.length, 10_000);
    expect([started(gateway, 2), started(gateway, 3), await generations(gateway)]).toEqual([WORKERS, WORKERS, [3]]);
    expect(await sample(async () => (await fresh(gateway, "/v1/models", GATEWAY_KEY)).status)).toEqual([200]);
  }, 40_000);

  test("one that cannot be built is nobody's: whoever was asked says why, the others are not told", async () => {
    const gateway = await startWorkers();
    writeFileSync(profileFile, "{");
    const answer = await reload(gateway);
    expect({ status: answer.status, text: answer.text }).toEqual({ status: 500, text: expect.stringContaining("not JSON") });
    writeProfile();
    expect((await reload(gateway)).json as unknown).toEqual({ number: 2 });
    await until("every worker has the next generation", () => started(gateway, 2).length === WORKERS.length, 10_000);
    expect(saying(gateway.output(), "generation.kept").length).toBe(1);
    expect(await generations(gateway)).toEqual([2]);
  }, 30_000);

  test("SIGHUP while they are still starting does not end the gateway, however often", async () => {
    const port = await freePort();
    const set = { PORT: String(port), GATEWAY_WORKERS: "2", GATEWAY_DATA_DIR: home, GATEWAY_PROFILE: profileFile };
    const env = { ...process.env, DATABASE_URL: "", REDIS_URL: "", ...set };
    const child = Bun.spawn([...SOURCE, "serve"], { env, stdout: "ignore", stderr: "pipe" });
    let printed = "";
    const reading = (async () => {
      const decoder = new TextDecoder();
      for await (const bytes of child.stderr) printed += decoder.decode(bytes, { stream: true });
    })();
    const children = (): string => readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, "utf8").trim();
    try {
      for (let round = 0; round < 5; round += 1) {
        const present = await until("there are workers", () => children().includes(" ") && children());
        child.kill("SIGHUP"); // hardly a process yet: it ends those that do not hear it
        await until("they were replaced, or are up", () => children() !== present || printed.includes("worker.listening"));
      }
      await until("every worker listens", () => new Set(saying(printed, "worker.listening")).size === WORKERS.length, 15_000);
      expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200);
    } finally {
      child.kill("SIGTERM");
      expect(await child.exited).toBe(0);
      await reading;
    }
  }, 40_000);
});

/** Where two nodes may share their truth. */
const SHARED: Readonly<Record<string, () => Promise<Record<string, string> | Skip>>> = {
  "one SQLite folder": async () => ({}),
  PostgreSQL: async () => {
    const server = await postgresServer();
    return isSkip(server) ? server : { DATABASE_URL: await newDatabase(server) };
  },
  Redis: async () => {
    const server = await redisServer();
    return isSkip(server) ? server : { REDIS_URL: server.url };
  },
};

describe.each(Object.keys(SHARED))("two nodes that share %s", (name) => {
  test("a new generation asked of one is built by the other too; SIGHUP is for one node alone", async () => {
    const env = (await SHARED[name]?.()) ?? {};
    if ("skip" in env) return console.warn(`skipped: ${env["skip"]}`);
    const one = await start(env);
    const two = await start(env, one.dataDir);
    expect((await reload(one)).json as unknown).toEqual({ number: 2 });
    await until("the other node follows", () => started(two, 2).length === 1);
    expect([await generations(one), await generations(two)]).toEqual([[2], [2]]);
    process.kill(two.pid, "SIGHUP");
    await until("the one that was told has another", () => started(two, 3).length === 1);
    expect((await reload(two)).json as unknown).toEqual({ number: 4 });
    await until("the first follows", () => started(one, 3).length === 1);
    expect([await generations(one), await generations(two)]).toEqual([[3], [4]]);
    expect((await chat(one, {})).status).toBe(200);
  }, 30_000);
});

describe("two nodes of which one would lose a plugin", () => {
  test("the one that was asked swaps, the other goes on, and both logs say why; with force both swap", async () => {
    const theirs = join(home, "theirs.json");
    const write = (plugins: object): void => writeFileSync(theirs, JSON.stringify({ title: "Theirs", extends: "default", plugins }));
    write({});
    const one = await start();
    const two = await start({ GATEWAY_PROFILE: theirs }, one.dataDir);
    write({ "guardrail/default": { config: { nonsense: 1 } } });
    expect((await reload(one)).json as unknown).toEqual({ number: 2 });
    await until("the other keeps its own", () => saying(two.output(), "generation.kept").length === 1);
    await until("who asked is told", () => /"generation\.kept_elsewhere"[^\n]*guardrail\/default[^\n]*nonsense/.test(one.output()));
    expect([await generations(one), await generations(two)]).toEqual([[2], [1]]);
    expect(saying(one.output(), "generation.kept_elsewhere").length).toBe(1);
    const forced = await ask(`${one.base}/admin/v2/generations?force=true`, "POST", ADMIN_KEY);
    expect(forced.json as unknown).toEqual({ number: 3 });
    await until("the other follows", () => started(two, 2).length === 1);
    expect([await generations(one), await generations(two)]).toEqual([[3], [2]]);
  }, 30_000);
});
