import { Database } from "bun:sqlite";
import { afterEach, expect, test } from "bun:test";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectSqlite } from "../../storage/sqlite/index.ts";
import { thing, Things } from "../kit/storage/sample.ts";
import { eventually, handleOf } from "../kit/storage/subject.ts";

const host = { log: () => undefined, now: Date.now };
const folders: string[] = [];
const newFolder = (): string => {
  const dir = mkdtempSync(join(tmpdir(), "gateway-sqlite-"));
  folders.push(dir);
  return dir;
};
afterEach(() => {
  for (const dir of folders.splice(0)) rmSync(dir, { recursive: true, force: true });
});

const child = (...args: readonly string[]) =>
  Bun.spawn([process.execPath, join(import.meta.dir, "sqlite-child.ts"), ...args], { stdout: "pipe", stderr: "inherit" });
const outputOf = async (...args: readonly string[]): Promise<string> => {
  const running = child(...args);
  const text = await new Response(running.stdout).text();
  expect(await running.exited).toBe(0);
  return text.trim();
};

test("what was acknowledged is there after kill -9 in the middle of writing", async () => {
  const dir = newFolder();
  const writer = child("write", dir);
  let said = "";
  for await (const part of writer.stdout.pipeThrough(new TextDecoderStream())) {
    said += part;
    if (said.split("\n").length > 900) break;
  }
  writer.kill("SIGKILL");
  await writer.exited;

  const promised = said
    .split("\n")
    .slice(0, -1)
    .map((line) => line.split(" "));
  const running = connectSqlite(host, { dir, busyTimeoutMs: 5000 });
  const [records, logs] = [handleOf(running.provides, "records").in(Things), handleOf(running.provides, "logs")];
  const lost: string[] = [];
  for (const [kind, id = ""] of promised) {
    if (kind === "record" && (await records.get(id)) === undefined) lost.push(id);
    if (kind === "log" && (await logs.get(id)) === undefined) lost.push(id);
  }
  const counted = Number(promised.findLast(([kind]) => kind === "counted")?.[1]);
  expect(promised.length).toBeGreaterThan(500);
  expect(lost).toEqual([]);
  expect((await handleOf(running.provides, "counters").read(["killed"]))[0]).toBeGreaterThanOrEqual(counted);
  await running.close?.();
  for (const file of ["main.db", "logs.db"]) {
    const db = new Database(join(dir, file));
    expect(db.query("pragma integrity_check").get()).toEqual({ integrity_check: "ok" });
    db.close();
  }
}, 30_000);

test("twelve processes starting at once on a new folder all start", async () => {
  const dir = join(newFolder(), "made", "by", "them");
  const said = await Promise.all(Array.from({ length: 12 }, () => outputOf("start", dir)));
  expect(said).toEqual(Array.from({ length: 12 }, () => "started"));
  expect(existsSync(join(dir, "logs.db"))).toBe(true);
}, 60_000);

test("processes that share the file never pass a limit together", async () => {
  const dir = newFolder();
  const said = await Promise.all([outputOf("reserve", dir), outputOf("reserve", dir)]);
  expect(said.reduce((sum, line) => sum + Number(line.split(" ")[1]), 0)).toBe(10);
  const running = connectSqlite(host, { dir, busyTimeoutMs: 5000 });
  expect(await handleOf(running.provides, "counters").read(["shared", "all"])).toEqual([10, 10]);
  await running.close?.();
}, 30_000);

test("a message of one process is heard in another", async () => {
  const dir = newFolder();
  const running = connectSqlite(host, { dir, busyTimeoutMs: 5000 });
  const heard: (string | null)[] = [];
  await handleOf(running.provides, "feed").subscribe("changes", (message) => heard.push(message));
  expect(await outputOf("publish", dir, "changes", "from elsewhere")).toBe("published");
  await eventually("the message arrives", () => heard.includes("from elsewhere"), 1000);
  await handleOf(running.provides, "records").migrate([Things]);
  await handleOf(running.provides, "records").in(Things).insert(thing("after"));
  await running.close?.();
}, 30_000);
