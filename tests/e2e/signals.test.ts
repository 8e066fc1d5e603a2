/** A gateway that npm started: what ends npm ends the gateway too, after it has finished what is under way. */
import { afterAll, describe, expect, test } from "bun:test";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { ADMIN_KEY, GATEWAY_KEY, SOURCE, until } from "./process.ts";

const root = join(import.meta.dir, "../..");
const home = mkdtempSync(join(tmpdir(), "signals-"));
/** Every process that a test has seen; none of them may outlive the tests. */
const seen = new Set<number>();
afterAll(() => {
  for (const pid of seen) if (isAlive(pid)) process.kill(pid, "SIGKILL");
  rmSync(home, { recursive: true, force: true });
});

/** As a shell has it: nothing of the npm that runs the tests. */
const environment = (more: Readonly<Record<string, string>> = {}): Record<string, string | undefined> => ({
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(npm_|DATABASE_URL$|REDIS_URL$|GATEWAY_)/.test(name))),
  PORT: "0",
  GATEWAY_DATA_DIR: mkdtempSync(join(home, "data-")),
  GATEWAY_ADMIN_KEY: ADMIN_KEY,
  GATEWAY_API_KEY: GATEWAY_KEY,
  ...more,
});

interface Started {
  readonly child: Bun.Subprocess<"pipe", "pipe", "pipe">;
  /** Where each gateway that it started listens. */
  bases(): readonly string[];
  printed(): string;
}
function started(command: readonly string[], env: Readonly<Record<string, string>> = {}): Started {
  const child = Bun.spawn([...command], { cwd: root, env: environment(env), stdin: "pipe", stdout: "pipe", stderr: "pipe" });
  let text = "";
  const follow = async (stream: ReadableStream<Uint8Array>): Promise<void> => {
    const decoder = new TextDecoder();
    for await (const bytes of stream) text += decoder.decode(bytes, { stream: true });
  };
  void follow(child.stdout);
  void follow(child.stderr);
  return { child, printed: () => text, bases: () => [...text.matchAll(/listens on (http:\S+)/g)].map(([, base = ""]) => base) };
}
const listening = (of: Started, count = 1): Promise<readonly string[]> =>
  until(`${count} listen: ${of.printed()}`, () => of.bases().length >= count && of.bases(), 15_000);

/** The process's children, and theirs. */
function descendants(pid: number): number[] {
  seen.add(pid);
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ").filter(Boolean).map(Number);
    return children.flatMap((child) => [child, ...descendants(child)]);
  } catch {
    return []; // it has ended
  }
}
/** A process that waits for a parent that does not ask for its end has ended too. */
const isAlive = (pid: number): boolean => {
  try {
    return !/^State:\s+[ZX]/m.test(readFileSync(`/proc/${pid}/status`, "utf8"));
  } catch {
    return false;
  }
};
const answers = (base: string): Promise<boolean> =>
  fetch(`${base}/healthz`).then(
    () => true,
    () => false,
  );
/** A stream of half a second; resolves with the whole once it has begun. */
async function stream(base: string): Promise<{ whole: Promise<string> }> {
  const response = await fetch(`${base}/v1/chat/completions`, {
    method: "POST",
    headers: { "content-type": "application/json", "x-gateway-api-key": GATEWAY_KEY, "x-gateway-provider": "sandbox" },
    body: JSON.stringify({
      model: "echo",
      stream: true,
      messages: [{ role: "user", content: "x" }],
      sandbox: { chunks: 25, chunk_latency_ms: 20 },
    }),
  });
  const reader = (response.body ?? expect.unreachable()).getReader();
  const decoder = new TextDecoder();
  let text = decoder.decode((await reader.read()).value, { stream: true });
  const rest = async (): Promise<string> => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) text += decoder.decode(next.value, { stream: true });
    return text;
  };
  return { whole: rest() };
}

test.each([
  ["npm start", "SIGTERM"],
  ["npm start", "SIGINT"],
  ["npm run gateway -- serve", "SIGTERM"],
  ["npm run dev", "SIGTERM"],
] as const)(
  "%s: %s to npm alone ends the gateway, which finishes what is under way, and then npm, with 0",
  async (command, signal) => {
    const run = started(command.split(" "));
    const [base = ""] = await listening(run);
    const family = descendants(run.child.pid);
    const { whole } = await stream(base);
    run.child.kill(signal);
    expect({ end: (await whole).slice(-14), code: await run.child.exited }).toEqual({ end: "data: [DONE]\n\n", code: 0 });
    expect({ answers: await answers(base), left: family.filter(isAlive) }).toEqual({ answers: false, left: [] });
  },
  30_000,
);

test.each(["SIGINT", "SIGTERM"] as const)(
  "npm start: %s to all of its processes, as a terminal sends it, lets the gateway finish what is under way",
  async (signal) => {
    const run = started(["npm", "start"]);
    const [base = ""] = await listening(run);
    const family = descendants(run.child.pid);
    const { whole } = await stream(base);
    for (const pid of [run.child.pid, ...family]) process.kill(pid, signal);
    expect((await whole).slice(-14)).toBe("data: [DONE]\n\n");
    await until("nothing is left", () => family.every((pid) => !isAlive(pid)), 10_000);
  },
  30_000,
);

test("npx: SIGTERM to npx alone ends the gateway", async () => {
  const run = started(["npx", "--no-install", "bun", "core/main.ts", "serve"]);
  await listening(run);
  const family = descendants(run.child.pid);
  run.child.kill("SIGTERM");
  await until("nothing is left", () => family.every((pid) => !isAlive(pid)), 15_000);
}, 30_000);

test("npm start with workers: SIGTERM to npm alone ends every process", async () => {
  const server = Bun.serve({ port: 0, fetch: () => new Response() });
  const port = String(server.port);
  await server.stop(true);
  const run = started(["npm", "start"], { GATEWAY_WORKERS: "2", PORT: port });
  await until("both listen", () => run.printed().split('"worker.listening"').length === 3, 20_000);
  const family = descendants(run.child.pid);
  expect(family.length).toBeGreaterThan(2);
  run.child.kill("SIGTERM");
  expect(await run.child.exited).toBe(0);
  expect({ answers: await answers(`http://127.0.0.1:${port}`), left: family.filter(isAlive) }).toEqual({ answers: false, left: [] });
}, 30_000);

describe("an npm that was killed and could tell nobody", () => {
  test.each(["SIGKILL", "SIGHUP"] as const)(
    "%s: its gateway ends too",
    async (signal) => {
      const run = started(["npm", "start"]);
      await listening(run);
      const family = descendants(run.child.pid);
      run.child.kill(signal);
      await run.child.exited;
      await until("nothing is left", () => family.every((pid) => !isAlive(pid)), 15_000);
      await until("it said why", () => run.printed().includes("the parent process ended"));
    },
    40_000,
  );
  test("with workers: all of them", async () => {
    const server = Bun.serve({ port: 0, fetch: () => new Response() });
    const port = String(server.port);
    await server.stop(true);
    const run = started(["npm", "start"], { GATEWAY_WORKERS: "2", PORT: port });
    await until("both listen", () => run.printed().split('"worker.listening"').length === 3, 20_000);
    const family = descendants(run.child.pid);
    run.child.kill("SIGKILL");
    await until("nothing is left", () => family.every((pid) => !isAlive(pid)), 15_000);
  }, 40_000);
});

test("a gateway that somebody put into the background outlives the shell, also one that another package's script started", async () => {
  const serve = `${SOURCE.map((part) => `'${part}'`).join(" ")} serve`;
  const own = "npm_lifecycle_event=start npm_package_name=ai-gateway";
  const ways = [
    `${own} ${serve}`,
    `${serve}`,
    `npm_lifecycle_event=start npm_package_name=ours ${serve}`,
    `nohup ${serve}`,
    `setsid ${serve}`,
  ];
  const each = ways.map(
    (way, at) => `NODE_WAY=way-${at} GATEWAY_DATA_DIR='${join(home, `way-${at}`)}' ${/^(nohup|setsid)/.test(way) ? "" : "env "}${way} &`,
  );
  const run = started(["sh", "-c", `${each.join(" ")} read _`]);
  await listening(run, ways.length);
  const family = descendants(run.child.pid);
  const byWay = (at: number): number =>
    family.find((pid) => {
      try {
        return readFileSync(`/proc/${pid}/environ`, "utf8").includes(`NODE_WAY=way-${at}\0`);
      } catch {
        return false; // it has ended
      }
    }) ?? expect.unreachable();
  const [watched = 0, ...background] = ways.map((_, at) => byWay(at));
  try {
    run.child.stdin.end();
    await run.child.exited;
    await until("the one of npm start ends", () => !isAlive(watched), 15_000);
    expect(background.map(isAlive)).toEqual(background.map(() => true));
  } finally {
    for (const pid of background) process.kill(pid, "SIGTERM");
    await until("all have ended", () => background.every((pid) => !isAlive(pid)), 15_000);
  }
}, 60_000);

test("npm run dev goes on watching the source: a process that replaces itself keeps the flag", async () => {
  const run = started(["npm", "run", "dev"]);
  await listening(run);
  const commands = descendants(run.child.pid).map((pid) => readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " "));
  run.child.kill("SIGTERM");
  await run.child.exited;
  expect(commands.filter((command) => command.includes("core/main.ts"))).toEqual([expect.stringContaining(" --watch ")]);
}, 30_000);
