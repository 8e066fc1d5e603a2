/** What was acknowledged stays, whatever other programs do to the database files meanwhile. */
import { afterAll, expect, test } from "bun:test";
import { readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { ADMIN_KEY, ask, type GatewayProcess, SOURCE, startGateway, until } from "../e2e/process.ts";
import { writeUntilGone } from "./writers.ts";

const started: GatewayProcess[] = [];
afterAll(async () => {
  for (const gateway of started) await gateway.stop("SIGKILL");
  for (const gateway of started) gateway.remove();
});
const start = async (dataDir?: string): Promise<GatewayProcess> => {
  const gateway = await startGateway(dataDir === undefined ? {} : { dataDir });
  started.push(gateway);
  return gateway;
};

const FILES = ["main.db", "logs.db"] as const;
/** Does the kernel list a lock that this process holds on the file? */
const holdsLock = ({ pid, dataDir }: GatewayProcess, file: string): boolean => {
  const inode = statSync(join(dataDir, file)).ino;
  return readFileSync("/proc/locks", "utf8")
    .split("\n")
    .some((line) => line.includes("POSIX") && new RegExp(` ${pid} \\S+:${inode} `).test(line));
};
const missingOf = async (gateway: GatewayProcess, ids: readonly string[], url: (id: string) => string, key: string): Promise<string[]> => {
  const missing: string[] = [];
  for (const id of ids) if ((await ask(`${gateway.base}${url(id)}`, "GET", key)).status !== 200) missing.push(id);
  return missing;
};

test("a program that opens, reads and closes the database files takes nothing from a gateway that is then killed", async () => {
  const gateway = await start();
  const acknowledged: string[] = [];
  const logged: string[] = [];
  const load = writeUntilGone(gateway, { acknowledged, logged });
  await until("some are written", () => acknowledged.length >= 20 && logged.length >= 5, 20_000);
  const bystander = Bun.spawn(
    [process.execPath, join(import.meta.dir, "bystander.ts"), ...FILES.map((file) => join(gateway.dataDir, file))],
    { stdout: "pipe", stderr: "inherit" },
  );
  const looks = countLines(bystander.stdout);
  await until("it has looked ten times, and more is written", () => looks.count >= 10 && acknowledged.length >= 100, 60_000);
  const locked = FILES.map((file) => [file, holdsLock(gateway, file)]);
  bystander.kill("SIGKILL");
  await bystander.exited;
  const before = acknowledged.length;
  await until("more is written after it left", () => acknowledged.length >= before + 20, 20_000);
  await gateway.stop("SIGKILL");
  await load;

  const again = await start(gateway.dataDir);
  const records = await missingOf(again, acknowledged, (id) => `/v2/policies/rate-limits/${id}`, ADMIN_KEY);
  const logs = await missingOf(again, logged, (id) => `/v1/logs/${id}`, again.gatewayKey);
  console.log(`${acknowledged.length} records and ${logged.length} log records acknowledged, ${looks.count} looks from outside`);
  expect({ locked, records, logs }).toEqual({ locked: FILES.map((file) => [file, true]), records: [], logs: [] });
}, 180_000);

test("each of three backups made under load holds, once it is restored, every write acknowledged before it began", async () => {
  const gateway = await start();
  const promised = { acknowledged: [] as string[], logged: [] as string[] };
  const enough = new AbortController();
  const load = writeUntilGone(gateway, promised, enough.signal);
  const backups: { folder: string; acknowledged: string[]; logged: string[] }[] = [];
  for (let round = 1; round <= 3; round += 1) {
    await until("more is written", () => promised.acknowledged.length >= round * 40 && promised.logged.length >= round * 4, 30_000);
    const before = { acknowledged: [...promised.acknowledged], logged: [...promised.logged] };
    const folder = join(gateway.dataDir, `backup-${round}`);
    expect(await command(gateway.dataDir, "backup", folder)).toBe(0);
    backups.push({ folder, ...before });
  }
  const during = promised.acknowledged.length;
  enough.abort();
  await load;
  await gateway.stop();
  for (const { folder, acknowledged, logged } of backups) {
    const dataDir = `${folder}-data`;
    expect(await command(dataDir, "restore", folder)).toBe(0);
    const again = await start(dataDir);
    const records = await missingOf(again, acknowledged, (id) => `/v2/policies/rate-limits/${id}`, ADMIN_KEY);
    const logs = await missingOf(again, logged, (id) => `/v1/logs/${id}`, again.gatewayKey);
    await again.stop();
    expect({ folder, records, logs }).toEqual({ folder, records: [], logs: [] });
  }
  console.log(`backups began after ${backups.map(({ acknowledged }) => acknowledged.length).join(", ")} of ${during} records`);
}, 180_000);

/** Runs the command line on a data folder; its exit code. */
const command = (dataDir: string, ...args: readonly string[]): Promise<number> =>
  Bun.spawn([...SOURCE, ...args], { env: { ...process.env, GATEWAY_DATA_DIR: dataDir }, stdout: "ignore", stderr: "inherit" }).exited;

const NEWLINE = 10;
function countLines(stream: ReadableStream<Uint8Array>): { count: number } {
  const lines = { count: 0 };
  void (async () => {
    for await (const text of stream) lines.count += text.filter((byte) => byte === NEWLINE).length;
  })();
  return lines;
}
