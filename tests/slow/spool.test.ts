/** No record of an acknowledged request is lost while the log store is away: they wait on disk, also beyond the end of the process. */
import { afterEach, expect, test } from "bun:test";
import postgres from "postgres";
import { isSkip, newDatabase, ownPostgres, type TestServer } from "../servers/index.ts";
import { chat, type GatewayProcess, startGateway, until } from "../e2e/process.ts";
import { degradedPart, endAll, ends, get, isReady, start } from "../e2e/readiness.ts";

afterEach(endAll);

const OUTAGE_MS = 3_000;
interface Acknowledged {
  readonly id: string;
  readonly at: number;
}

/** Clients that ask as fast as they are answered; the ids of the requests whose answer came. */
function load(gateway: GatewayProcess, content: string, atATime = 32): { readonly acknowledged: Acknowledged[]; stop(): Promise<void> } {
  const acknowledged: Acknowledged[] = [];
  let on = true;
  const client = async (): Promise<void> => {
    while (on) {
      const answer = await chat(gateway, { messages: [{ role: "user", content }] }).catch(() => undefined);
      if (answer?.status === 200) acknowledged.push({ id: answer.headers.get("x-gateway-request-id") ?? "", at: performance.now() });
    }
  };
  const clients = Promise.all(Array.from({ length: atATime }, client));
  return {
    acknowledged,
    stop: async () => {
      on = false;
      await clients;
    },
  };
}
const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function database(): Promise<{ readonly server: TestServer; readonly url: string }> {
  const server = await ownPostgres();
  if (isSkip(server)) throw new Error(server.skip);
  ends.push(() => server.remove());
  return { server, url: await newDatabase(server) };
}
async function logsIn(url: string): Promise<ReadonlyMap<string, { readonly bodies: boolean }>> {
  const sql = postgres(url, { max: 1, onnotice: () => undefined });
  try {
    const rows = await sql<{ id: string; bodies: boolean }[]>`select id, request is not null as bodies from logs`;
    return new Map(rows.map(({ id, bodies }) => [id, { bodies }]));
  } finally {
    await sql.end();
  }
}
interface Queue {
  readonly waiting_records: number;
  readonly disk_bytes: number;
  readonly given_up_records: number;
  readonly given_up_bodies: number;
}
async function queueOf(gateway: GatewayProcess): Promise<Queue> {
  const { json } = await get(gateway, "/status");
  return (json as unknown as { parts: Record<string, { detail: Queue }> }).parts["exporter/logs"]?.detail ?? expect.unreachable();
}
const isWritten = (gateway: GatewayProcess): Promise<unknown> =>
  until(
    "everything was written",
    async () => {
      const { waiting_records: waiting, disk_bytes: bytes } = await queueOf(gateway);
      return waiting + bytes === 0;
    },
    60_000,
  );
const linesOf = (gateway: GatewayProcess, event: string): number => gateway.output().split(`"event":"${event}"`).length - 1;

test("two outages at the highest rate: every acknowledged request has its record", async () => {
  const { server, url } = await database();
  const gateway = await start({ env: { DATABASE_URL: url } });
  const traffic = load(gateway, "Hello");
  await until("requests are answered", () => traffic.acknowledged.length > 200);
  for (const outage of [1, 2]) {
    await server.stop();
    expect((await degradedPart(gateway, "exporter/logs")).why).toContain("could not be reached");
    await pause(OUTAGE_MS);
    await server.start();
    await isReady(gateway);
    await until(`outage ${outage} is over`, () => linesOf(gateway, "export.caught_up") >= outage, 60_000);
  }
  await traffic.stop();
  await isWritten(gateway);
  const stored = await logsIn(url);
  const lost = traffic.acknowledged.filter(({ id }) => !stored.has(id)).length;
  console.log(`${traffic.acknowledged.length} requests acknowledged during two outages, ${lost} without a record`);
  expect(lost).toBe(0);
  expect(await queueOf(gateway)).toMatchObject({ given_up_records: 0, given_up_bodies: 0 });
  const [begun, over] = ["export.waiting", "export.caught_up"].map((event) => linesOf(gateway, event));
  expect([begun, (begun ?? 0) >= 2]).toEqual([over, true]); // a busy machine's server may seem away once more while it starts
}, 180_000);

test("a spool that is too small gives up bodies before records, and says so", async () => {
  const { server, url } = await database();
  const gateway = await start({ env: { DATABASE_URL: url, GATEWAY_SPOOL_MB: "8" } });
  expect((await chat(gateway, {})).status).toBe(200);
  await isWritten(gateway);
  await server.stop();
  const traffic = load(gateway, "long ".repeat(2_000));
  await until("bodies are given up", async () => (await queueOf(gateway)).given_up_bodies > 50, 60_000);
  await traffic.stop();
  expect((await degradedPart(gateway, "exporter/logs")).why).toMatch(/could not be reached|given up/);
  await server.start();
  await until("it is over", () => linesOf(gateway, "export.caught_up") === 1, 60_000);
  await isWritten(gateway);
  const stored = await logsIn(url);
  const { given_up_records: givenUp } = await queueOf(gateway);
  expect(traffic.acknowledged.filter(({ id }) => !stored.has(id)).length).toBe(givenUp); // none, unless a busy machine polls late
  const bodies = [...stored.values()].filter((row) => row.bodies).length;
  expect([bodies > 50, stored.size - bodies >= 50]).toEqual([true, true]);
  expect(linesOf(gateway, "export.bodies_given_up")).toBe(1);
}, 120_000);

test("what waited when the gateway was killed in mid-outage is written by the next one, once", async () => {
  const { server, url } = await database();
  const first = await startGateway({ env: { DATABASE_URL: url } });
  ends.push(() => first.remove());
  ends.push(() => first.stop("SIGKILL"));
  expect((await chat(first, {})).status).toBe(200);
  await server.stop();
  const traffic = load(first, "Hello");
  await until("many wait on disk", async () => (await queueOf(first)).disk_bytes > 200_000, 30_000);
  await traffic.stop();
  await until("none waits in memory", async () => (await queueOf(first)).waiting_records === 0); // that part dies with the process
  await first.stop("SIGKILL");
  await server.start();
  const next = await start({ dataDir: first.dataDir, env: { DATABASE_URL: url } });
  await until("the next one takes what it left", () => linesOf(next, "spool.adopted") === 1, 30_000);
  await isWritten(next);
  const stored = await logsIn(url);
  expect(traffic.acknowledged.length).toBeGreaterThan(50);
  expect(traffic.acknowledged.filter(({ id }) => !stored.has(id))).toEqual([]);
  expect((await readSpool(next)).length).toBe(0);
}, 120_000);

const readSpool = async (gateway: GatewayProcess): Promise<readonly string[]> => [
  ...new Bun.Glob("spool/**/*.jsonl").scanSync({ cwd: gateway.dataDir, onlyFiles: true }),
];
