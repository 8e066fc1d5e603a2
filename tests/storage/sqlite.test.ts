import { expect, test } from "bun:test";
import { chmodSync, mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { connectSqlite } from "../../storage/sqlite/index.ts";
import { testStorage } from "../kit/storage.ts";
import { logRow } from "../kit/storage/logs.ts";
import { handleOf } from "../kit/storage/subject.ts";

const host = { log: () => undefined, now: Date.now };
const newFolder = (): string => mkdtempSync(join(tmpdir(), "gateway-sqlite-"));

testStorage(
  "sqlite",
  () => {
    const dir = newFolder();
    return {
      connect: () => connectSqlite(host, { dir, busyTimeoutMs: 5000 }),
      destroy: async () => rmSync(dir, { recursive: true, force: true }),
    };
  },
  { supports: ["records", "logs", "blobs", "counters", "kv", "feed"] },
);

test("nobody else can read the databases, in a folder that everybody may look into too", async () => {
  const dir = newFolder();
  chmodSync(dir, 0o755);
  const running = connectSqlite(host, { dir, busyTimeoutMs: 5000 });
  await running.ready?.();
  await running.provides.kv?.set("a", new Uint8Array([1]));
  const modes = readdirSync(dir)
    .filter((name) => name.includes(".db"))
    .map((name) => ({ name, mode: (statSync(join(dir, name)).mode & 0o777).toString(8) }));
  expect(modes.map(({ name }) => name)).toContain("logs.db");
  expect(modes).toEqual(modes.map(({ name }) => ({ name, mode: "600" })));
  await running.close?.();
  rmSync(dir, { recursive: true, force: true });
});

test("texts of logs keep NUL; of half a character, which UTF-8 has not, U+FFFD is kept", async () => {
  const dir = newFolder();
  const running = connectSqlite(host, { dir, busyTimeoutMs: 5000 });
  await running.ready?.();
  const logs = handleOf(running.provides, "logs");
  const [text, kept] = ["a\0b \ud83d c \ude00\0", "a\0b \ufffd c \ufffd\0"];
  const row = logRow({ request: text, sent: text, response: text });
  await logs.write([row]);
  expect(await logs.get(row.id)).toEqual({ ...row, request: kept, sent: kept, response: kept });
  await running.close?.();
  rmSync(dir, { recursive: true, force: true });
});
