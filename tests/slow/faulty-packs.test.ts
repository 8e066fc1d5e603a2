/**
 * One faulty pack of each kind of failure, in each tier, beside healthy requests: those keep their p99 within twice what it
 * is without it, and nobody waits for `/healthz`. A check in the gateway's own process that loops, leaks or crashes is not
 * contained, and is no row here: the README says so.
 */
import { createServer, type Server } from "node:net";
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { chat, type GatewayProcess, until } from "../e2e/process.ts";
import { type RemoteService, SECRET, startRemoteService } from "../e2e/remote-service.ts";
import { type PackGateway, startWithPack } from "../e2e/with-pack.ts";
import { verifies } from "../requirements/verifies.ts";
import { startProbe } from "./probing.ts";

/** How long healthy requests are watched beside each kind. */
const WATCHED_MS = 600;
/** A healthy request is sent so often. */
const EVERY_MS = 8;
/** Faulty requests under way at a time. */
const FAULTY = 3;
/** What is shorter is the noise of the machine: a turn of its scheduler. */
const NOISE_MS = 15;
const MAX_HEALTH_MS = 50;
/** The noise holds up whoever is there; a faulty pack does so each time. */
const TRIES = 6;

let vendor: Server;
let service: RemoteService;
let isolated: PackGateway;
let inProcess: PackGateway;
beforeAll(async () => {
  vendor = createServer((socket) => socket.on("error", () => undefined).once("data", () => socket.resetAndDestroy()));
  await new Promise<void>((resolve) => vendor.listen(0, "127.0.0.1", resolve));
  service = startRemoteService();
  const env = {
    ...{ GATEWAY_TRUSTED_HOSTS: `${addressOf(vendor)},${service.host}`, GATEWAY_CHECK_DEADLINE_MS: "500", FAULTY_KEY: "key" },
    ...{ GATEWAY_ISOLATED_PROCESSES: "1", LOG_LEVEL: "error" },
  };
  isolated = await startWithPack("faulty", { env });
  inProcess = await startWithPack("faulty", { env, profile: { plugins: { "guardrail/faulty": { isolate: "none" } } } });
}, 60_000);
afterAll(async () => {
  await isolated.close();
  await inProcess.close();
  await service.close();
  vendor.close();
});
function addressOf(server: Server): string {
  const address = server.address();
  return `127.0.0.1:${typeof address === "object" ? address?.port : 0}`;
}

/** Three checks that do their work. */
const HEALTHY = {
  "default.contains": { words: ["zebra"], operator: "none" },
  "default.wordCount": { maxWords: 100 },
  "default.regexMatch": { rule: "\\d{9}", not: true },
};
const judgedBy = (gateway: GatewayProcess, checks: object, content: string): ReturnType<typeof chat> => {
  const config = { provider: "sandbox", input_guardrails: [{ ...checks, deny: true }] };
  return chat(gateway, { messages: [{ role: "user", content }] }, { "x-gateway-config": JSON.stringify(config) });
};

/** The p99 of healthy requests, sent at a steady pace whatever becomes of them. */
async function healthyP99(gateway: GatewayProcess): Promise<number> {
  const took: number[] = [];
  const sent: Promise<void>[] = [];
  const send = async (): Promise<void> => {
    const startedAt = performance.now();
    expect((await judgedBy(gateway, HEALTHY, "a harmless text")).status).toBe(200);
    took.push(performance.now() - startedAt);
  };
  const endsAt = performance.now() + WATCHED_MS;
  while (performance.now() < endsAt) {
    sent.push(send());
    await Bun.sleep(EVERY_MS);
  }
  await Promise.all(sent);
  took.sort((a, b) => a - b);
  return took[Math.floor(took.length * 0.99) - 1] ?? expect.unreachable();
}

/** Keeps faulty requests under way while something else is done. */
async function beside<T>(fail: () => Promise<unknown>, work: () => Promise<T>): Promise<T> {
  let isOver = false;
  const failing = Array.from({ length: FAULTY }, async () => {
    while (!isOver) {
      await fail();
      await Bun.sleep(EVERY_MS); // a failure that costs nothing would be a flood of requests, which is another test
    }
  });
  try {
    return await work();
  } finally {
    isOver = true;
    await Promise.all(failing);
  }
}

type Fail = () => Promise<unknown>;
async function keepsItsPace(what: string, { gateway }: PackGateway, fail: Fail): Promise<void> {
  const probe = await startProbe(gateway.base);
  const seen: string[] = [];
  try {
    for (let i = 0; i < TRIES; i += 1) {
      const alone = await healthyP99(gateway);
      await probe.waits();
      const with_ = await beside(fail, () => healthyP99(gateway));
      const waits = await probe.waits();
      const figures = `p99 ${with_.toFixed(1)} ms beside it, ${alone.toFixed(1)} alone; /healthz ${waits.gateway.toFixed(0)} ms, idle ${waits.idle.toFixed(0)}`;
      const isGood = with_ <= Math.max(2 * alone, NOISE_MS) && waits.gateway <= waits.idle + MAX_HEALTH_MS;
      if (isGood) return console.log(`${what}: ${figures}`);
      seen.push(figures);
    }
    expect(seen).toEqual([]);
  } finally {
    probe.close();
  }
}

const TIMEOUT = 150;
/** What the pack's text makes it do; `reset` asks a vendor that cuts the connection. */
const packFails = (of: PackGateway, does: string): Fail => {
  const url = `http://${addressOf(vendor)}/`;
  return does === "reset"
    ? () => judgedBy(of.gateway, { "faulty.asks": { url, timeout: TIMEOUT } }, "x")
    : () => judgedBy(of.gateway, { "faulty.does": { timeout: TIMEOUT } }, does);
};

/** Pieces as they are taken, so that this process, which counts the time, has little to do with it. */
const endless = (): ReadableStream<Uint8Array> => new ReadableStream({ pull: (to) => to.enqueue(PIECE) });
const PIECE = new Uint8Array(65_536).fill(120);

const NAME = verifies("G.isolate.load", "that does `%s` leaves healthy requests their pace");
describe("a pack in the gateway's own process", () => {
  test.each(["never", "throws", "rejects late", "malformed", "giant", "reset"])(NAME, async (does) => {
    await keepsItsPace(`in-process, ${does}`, inProcess, packFails(inProcess, does));
  });
});

describe("a pack in processes of its own", () => {
  const KINDS = ["loop", "leak", "exit", "segfault", "garbage", "flood", "never", "throws", "rejects late", "malformed", "giant", "reset"];
  test.each(KINDS)(NAME, async (does) => {
    await keepsItsPace(`process, ${does}`, isolated, packFails(isolated, does));
    await until("the pack judges again", async () => {
      const { json } = await judgedBy(isolated.gateway, { "faulty.judges": {} }, "fine");
      return JSON.stringify(json["hook_results"] ?? "").includes('"error":null');
    });
  });
});

describe("a service of somebody's own", () => {
  const answers: Readonly<Record<string, Parameters<RemoteService["answers"]>[0]>> = {
    never: () => new Promise(() => undefined),
    throws: () => new Response("oops", { status: 500 }),
    late: () => Bun.sleep(TIMEOUT * 2).then(() => ({ answer: { verdict: "allow" } })),
    malformed: () => ({ answer: { verdict: "maybe" } }),
    giant: () => new Response(endless()),
  };
  const remote = (url: string): Fail => {
    return () => judgedBy(isolated.gateway, { "remote.check": { url, secret: SECRET, timeout: TIMEOUT } }, "x");
  };
  test.each([...Object.keys(answers), "reset"])(NAME, async (does) => {
    const answer = answers[does];
    if (answer) service.answers(answer);
    await keepsItsPace(`remote, ${does}`, isolated, remote(answer ? service.url : `http://${addressOf(vendor)}/`));
  });
});
