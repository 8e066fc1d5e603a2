/** What a gateway refuses to start with: exit code 1, one sentence that says what would be right, no stack, no secret, nothing opened. */
import { Database } from "bun:sqlite";
import { chmodSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "bun:test";
import { ADMIN_KEY, ask, SOURCE, startGateway } from "./process.ts";

const folders: string[] = [];
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true });
});
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), "gateway-refusal-"));
  folders.push(folder);
  return folder;
};

interface Ended {
  readonly code: number;
  readonly printed: string;
}
/** Runs it to its end; what should have been refused and was not is killed. */
async function started(dataDir: string, env: Readonly<Record<string, string>> = {}, command = SOURCE): Promise<Ended> {
  const own = { PATH: process.env["PATH"] ?? "", HOME: process.env["HOME"] ?? "", PORT: "0", GATEWAY_DATA_DIR: dataDir };
  const child = Bun.spawn([...command, "serve"], { env: { ...own, ...env }, stdout: "pipe", stderr: "pipe" });
  const killer = setTimeout(() => child.kill("SIGKILL"), 15_000);
  const [out, err, code] = await Promise.all([new Response(child.stdout).text(), new Response(child.stderr).text(), child.exited]);
  clearTimeout(killer);
  return { code, printed: out + err };
}
function expectRefused({ code, printed }: Ended, says: string): void {
  expect({ code, printed }).toEqual({ code: 1, printed: expect.stringContaining(says) });
  expect(printed).not.toMatch(/^\s+at /m); // a stack
  expect(printed).not.toContain("listens on");
}

const STRONG = "a-strong-secret-0123456789-abcdefgh";
/** Beside what settings.test.ts refuses: the rule of secret files, for the variables. */
const VARIABLES: readonly (readonly [env: Readonly<Record<string, string>>, says: string])[] = [
  [{ GATEWAY_SECRET_KEY: "x".repeat(40) }, "it repeats a few characters"],
  [{ GATEWAY_SECRET_KEY: "changeme-please-changeme-please-changeme" }, "it is a well-known default"],
  [{ GATEWAY_SECRET_KEY: "words with spaces between them, thirty-two" }, "GATEWAY_SECRET_KEY=*** is not valid: it is ***"],
  [{ GATEWAY_ADMIN_KEY: "words with spaces between" }, "GATEWAY_ADMIN_KEY=*** is not valid: a key has letters, digits, - and _"],
  [{ HOST: "0.0.0.0" }, "GATEWAY_ADMIN_KEY must be set"],
];
test.each(VARIABLES)("%j", async (env, says) => {
  const dataDir = newFolder();
  const ended = await started(dataDir, env);
  expectRefused(ended, says);
  for (const value of Object.values(env)) if (value.length > 8) expect(ended.printed).not.toContain(value);
  expect(readdirSync(dataDir)).toEqual([]);
});

test("a data folder whose secret key is gone: no new one takes its place", async () => {
  const dataDir = newFolder();
  const gateway = await startGateway({ dataDir });
  await gateway.stop();
  rmSync(join(dataDir, "secret.key"));
  expectRefused(await started(dataDir), `${join(dataDir, "secret.key")} is not valid: there is no such file, and admin.key beside it`);
  expect(readdirSync(dataDir)).not.toContain("secret.key");
}, 30_000);

const FILES: readonly (readonly [what: string, says: string, spoil: (file: string) => void])[] = [
  ["empty", "it has 0 characters and needs at least 32", (file) => writeFileSync(file, "", { mode: 0o600 })],
  ["short", "it has 5 characters", (file) => writeFileSync(file, "short\n", { mode: 0o600 })],
  ["of white space", "it has 0 characters", (file) => writeFileSync(file, "   \n\n", { mode: 0o600 })],
  ["well known", "it is a well-known default", (file) => writeFileSync(file, "changeme-please-changeme-please-changeme", { mode: 0o600 })],
  ["that others can read", "it can be read by others (mode 644)", (file) => writeFileSync(file, STRONG)],
  ["that is a folder", "it is not a file", (file) => mkdirSync(file)],
  ["that is a link to nothing", "it is a link to a file that is not there", (file) => symlinkSync("/nonexistent/secret.key", file)],
];
test.each(FILES)("a secret.key %s", async (_, says, spoil) => {
  const dataDir = newFolder();
  const file = join(dataDir, "secret.key");
  spoil(file);
  if (says.includes("644")) chmodSync(file, 0o644);
  const ended = await started(dataDir);
  expectRefused(ended, says);
  expect(ended.printed).toContain(file);
  expect(ended.printed).toContain("openssl rand -hex 32"); // how to make one
  expect(ended.printed).toContain("keys and sealed credentials open with no other"); // and what becomes of what was sealed
  expect(readdirSync(dataDir)).toEqual(["secret.key"]);
});

test("another secret key than the database was made with", async () => {
  const gateway = await startGateway({ env: { GATEWAY_SECRET_KEY: STRONG } });
  folders.push(gateway.dataDir);
  await gateway.stop();
  expectRefused(await started(gateway.dataDir, { GATEWAY_SECRET_KEY: `${STRONG}-another` }), "written with another secret key");
  const again = await startGateway({ dataDir: gateway.dataDir, env: { GATEWAY_SECRET_KEY: STRONG } });
  expect((await ask(`${again.base}/v2/configs`, "GET", ADMIN_KEY)).status).toBe(200);
  await again.stop();
}, 20_000);

/** The gateway of a later build, one of whose migrations destroys something. */
function later(): readonly string[] {
  const main = join(newFolder(), "later.ts");
  const drop = { id: "9999_drop", checksum: "0".repeat(64), destructive: "drop an index", sql: `drop index "${INDEX}"` };
  const migrations = join(import.meta.dir, "../../storage/sqlite/migrations/index.ts");
  const lines = [
    `import { MIGRATIONS } from ${JSON.stringify(migrations)};`,
    `MIGRATIONS.push(${JSON.stringify(drop)});`,
    `await import(${JSON.stringify(SOURCE[1])});`,
  ];
  writeFileSync(main, lines.join("\n"));
  return [process.execPath, main];
}
const INDEX = "_kv_expires_at";
const hasIndex = (dataDir: string): boolean => {
  const database = new Database(join(dataDir, "main.db"), { readonly: true });
  try {
    return database.query("select 1 from sqlite_master where name = ?").get(INDEX) !== null;
  } finally {
    database.close();
  }
};

test("a database in which a migration would destroy something, until the operator allows that one; then an older build", async () => {
  const gateway = await startGateway();
  const { dataDir } = gateway;
  folders.push(dataDir);
  await gateway.stop();
  const command = later();
  const ASKS = "allow it with GATEWAY_ALLOW_DESTRUCTIVE_MIGRATION=9999_drop";
  expectRefused(await started(dataDir, {}, command), ASKS);
  expectRefused(await started(dataDir, { GATEWAY_ALLOW_DESTRUCTIVE_MIGRATION: "0001_tables" }, command), ASKS);
  expect(hasIndex(dataDir)).toBe(true);
  const allowed = await startGateway({ dataDir, command, env: { GATEWAY_ALLOW_DESTRUCTIVE_MIGRATION: "9999_drop" } });
  await allowed.stop();
  expect(hasIndex(dataDir)).toBe(false);
  expectRefused(await started(dataDir), "a newer build has used it");
}, 40_000);
