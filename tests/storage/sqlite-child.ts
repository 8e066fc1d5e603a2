/* A process of its own on the same folder: what it says on its output is what it was promised. `<job> <folder> …` */
import { Database } from "bun:sqlite";
import { closeSync, openSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import { connectSqlite } from "../../storage/sqlite/index.ts";
import { logRow } from "../kit/storage/logs.ts";
import { eventually, handleOf } from "../kit/storage/subject.ts";
import { thing, Things } from "../kit/storage/sample.ts";

const [job = "", dir = "", ...rest] = process.argv.slice(2);
const host = { log: () => undefined, now: Date.now };
const say = (line: string): void => void process.stdout.write(`${line}\n`);

if (job === "start-as") process.setuid?.(Number(rest[0]));
if (job === "hold") {
  const db = new Database(join(dir, "main.db"));
  db.run("begin immediate");
  say("held");
  await new Promise(() => setInterval(() => undefined, 60_000)); // until it is killed
}
const running = connectSqlite(host, { dir, busyTimeoutMs: 20_000 });
await running.ready?.();
const records = handleOf(running.provides, "records");
await records.migrate([Things]);

const log = (id: string) => logRow({ id, response: "x".repeat(500) });

const JOBS: Readonly<Record<string, () => Promise<void>>> = {
  /** Writes what fills some pages of each file. */
  fill: async () => {
    for (let index = 0; index < 500; index += 1) await records.in(Things).insert(thing("filled"));
    await handleOf(running.provides, "logs").write(
      Array.from({ length: 300 }, (_, index) => logRow({ id: `filled-${index}`, response: crypto.randomUUID().repeat(100) })),
    );
  },
  /** Starts, and says so. */
  start: async () => say("started"),
  /** Starts, says so, and stays until it is killed. */
  stay: async () => {
    say("started");
    await new Promise(() => setInterval(() => undefined, 60_000));
  },
  /** Writes records, logs and counters until it is killed; says each one after it was acknowledged. */
  write: async () => {
    for (let count = 1; ; count += 1) {
      const one = thing("killed");
      await records.in(Things).insert(one);
      say(`record ${one.id}`);
      await handleOf(running.provides, "logs").write([log(one.id)]);
      say(`log ${one.id}`);
      await handleOf(running.provides, "counters").add([{ key: "killed", by: 1, expiresAt: Number.MAX_SAFE_INTEGER }]);
      say(`counted ${count}`);
    }
  },
  /** Claims one of a limit of 10, 100 times; says how many were granted. */
  reserve: async () => {
    let granted = 0;
    for (let turn = 0; turn < 100; turn += 1) {
      const claims = [
        { key: "shared", by: 1, limit: 10, expiresAt: Number.MAX_SAFE_INTEGER },
        { key: "all", by: 1, limit: 1000, expiresAt: Number.MAX_SAFE_INTEGER },
      ];
      if ((await handleOf(running.provides, "counters").reserve(claims)).granted) granted += 1;
    }
    say(`granted ${granted}`);
  },
  /** Writes, loses a journal (or its lock), notices that, and is killed. */
  lose: async () => {
    const [records, logs, feed] = [
      handleOf(running.provides, "records").in(Things),
      handleOf(running.provides, "logs"),
      handleOf(running.provides, "feed"),
    ];
    for (let index = 0; index < 20; index += 1) await records.insert(thing("kept"));
    await logs.write([log("kept")]);
    await feed.publish("changes", "kept");
    if (rest[0] === "lock") closeSync(openSync(join(dir, "main.db"), "r"));
    else unlinkSync(join(dir, rest[0] ?? ""));
    await eventually("the loss is noticed", async () => (running.health?.().degraded.length ?? 0) > 0, 5_000);
    process.kill(process.pid, "SIGKILL");
  },
  publish: async () => {
    await handleOf(running.provides, "feed").publish(rest[0] ?? "", rest[1] ?? "");
    say("published");
  },
};

await JOBS[job]?.();
await running.close?.();
