/** 100,000 keys, 10,000 configs, 1,000 workspaces in the embedded storage: what is asked of the control plane is answered at once. */
import { readFileSync } from "node:fs";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { ADMIN_KEY, ask, type GatewayProcess, startGateway } from "../e2e/process.ts";
import { verifies } from "../requirements/verifies.ts";
import { fill, FILLED, idOf } from "./filled.ts";

const P99_MS = 20;
/** So many of each kind, so that the slowest is what the ninety-ninth of a hundred is. */
const ASKED = 100;

let gateway: GatewayProcess;
let idle: ReturnType<typeof Bun.spawn<"ignore", "pipe", "inherit">>;
let idleUrl = "";
let first = "";
beforeAll(async () => {
  const made = await startGateway();
  await made.stop();
  first = (await fill(made.dataDir)).first;
  gateway = await startGateway({ dataDir: made.dataDir });
  const nothing = 'console.log(Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response("ok") }).url.href)';
  idle = Bun.spawn([process.execPath, "-e", nothing], { stdout: "pipe" });
  idleUrl = new TextDecoder().decode((await idle.stdout.getReader().read()).value).trim();
}, 120_000);
afterAll(async () => {
  idle?.kill();
  await gateway?.stop();
  gateway?.remove();
});

/** What is asked, with the total that a list says there are. */
const QUESTIONS: Readonly<Record<string, readonly [path: (i: number) => string, total?: number]>> = {
  "a key by id": [(i) => `/v2/api-keys/${idOf(i * 997)}`],
  "a config by slug": [(i) => `/v2/configs/config-${i * 97}`],
  "a workspace by id": [(i) => `/v2/admin/workspaces/${idOf(i * 9)}`],
  "the first page of a workspace's keys": [() => `/v2/api-keys?workspace_id=${first}&page_size=20`, FILLED.keys / 2 + 1],
  "the first page of all keys": [() => "/v2/api-keys?page_size=20", FILLED.keys + 2],
  "a page deep in all keys": [(i) => `/v2/api-keys?page_size=20&current_page=${4_000 + i}`, FILLED.keys + 2],
  "keys by their ids": [(i) => `/v2/api-keys?ids=${idOf(i)},${idOf(i + 500)}`, 2],
  "the first page of configs": [() => "/v2/configs?page_size=20"],
  "a page deep in the configs": [(i) => `/v2/configs?page_size=20&current_page=${300 + i}`],
  "the first page of workspaces": [() => "/v2/admin/workspaces?page_size=20", FILLED.workspaces + 1],
  "workspaces by a part of the name": [(i) => `/v2/admin/workspaces?name=eam%20${i}&page_size=20`],
};

interface Times {
  readonly gateway: number;
  readonly idle: number;
  /** Processor time that the gateway takes for one. */
  readonly cpu: number;
}
const slowest = (times: readonly number[]): number => [...times].sort((a, b) => a - b)[Math.ceil(times.length * 0.99) - 1] ?? 0;

/** Each question beside one to a server that does nothing, so that both have the same noise of the machine. */
/** So far, in milliseconds; the kernel counts in hundredths of a second. */
function cpuOf({ pid }: GatewayProcess): number {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? [];
  return (Number(fields[11]) + Number(fields[12])) * 10;
}

/** In time; or, where others have the machine so that a server that does nothing waits too, in as little of the processor. */
const isQuick = ({ gateway: took, idle: noise, cpu }: Times): boolean => took <= noise + P99_MS || (noise > NOISY_MS && cpu <= P99_MS / 2);
const NOISY_MS = 5;

async function p99(path: (i: number) => string, judge: (json: Record<string, unknown>) => void): Promise<Times> {
  const times = { gateway: [] as number[], idle: [] as number[] };
  const before = cpuOf(gateway);
  for (let i = 0; i < ASKED; i += 1) {
    const asked = performance.now();
    const answer = await ask(gateway.base + path(i), "GET", ADMIN_KEY);
    const between = performance.now();
    await fetch(idleUrl).then((response) => response.text());
    times.gateway.push(between - asked);
    times.idle.push(performance.now() - between);
    expect({ path: path(i), status: answer.status }).toEqual({ path: path(i), status: 200 });
    judge(answer.json);
  }
  return { gateway: slowest(times.gateway), idle: slowest(times.idle), cpu: (cpuOf(gateway) - before) / ASKED };
}

describe("of 100,000 keys, 10,000 configs and 1,000 workspaces", () => {
  for (const [name, [path, total]] of Object.entries(QUESTIONS))
    test(verifies("N.many", `${name} is answered within ${P99_MS} ms`), async () => {
      const tries: Times[] = [];
      for (let i = 0; i < 4; i += 1) {
        const times = await p99(path, (json) => total === undefined || expect(json["total"]).toBe(total));
        console.log(
          `${name}: p99 ${times.gateway.toFixed(1)} ms, idle ${times.idle.toFixed(1)} ms; ${times.cpu.toFixed(1)} ms of the processor`,
        );
        if (isQuick(times)) return;
        tries.push(times);
      }
      expect(tries).toEqual([]); // what is slow by itself is so each time
    }, 60_000);
});
