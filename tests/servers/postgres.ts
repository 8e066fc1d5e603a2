import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { spawnSync } from "node:child_process";
import { join } from "node:path";
import postgres from "postgres";
import { findFolder } from "./binaries.ts";
import { findOrInstall } from "./install.ts";
import { type Owner, type ServerProcess, own, serverProcess } from "./process.ts";
import { type Skip, type TestServer, given, oncePerRun, owned } from "./server.ts";

/** The run's PostgreSQL: TEST_DATABASE_URL, or one started on first use. */
export const postgresServer = (): Promise<TestServer | Skip> =>
  oncePerRun("postgres", async () => {
    const url = process.env.TEST_DATABASE_URL;
    return url ? given("TEST_DATABASE_URL", url) : ownPostgres();
  });

export interface PostgresOptions {
  /** Server settings, e.g. `{ ssl: "on" }`. */
  readonly settings?: Readonly<Record<string, string>>;
  /** Further files of the data folder, e.g. `server.key`. */
  readonly files?: Readonly<Record<string, string>>;
}

/** A PostgreSQL of the caller's own, for tests that stop it or set it up differently; the caller calls `remove`. */
export async function ownPostgres({ settings = {}, files = {} }: PostgresOptions = {}): Promise<(TestServer & ServerProcess) | Skip> {
  const folder = findOrInstall("postgresql", () => findFolder(["postgres", "initdb"]));
  if ("skip" in folder) return folder;
  const server = await serverProcess({
    name: "postgres",
    file: join(folder.found, "postgres"),
    args: (home, port) => ["-D", join(home, "data"), ...asFlags({ ...SETTINGS, port: String(port), ...settings })],
    prepare: (home, owner) => initialise(join(folder.found, "initdb"), join(home, "data"), files, owner),
    ready: ({ folder: home, pid }) => isReady(join(home, "data", "postmaster.pid"), pid),
    signal: "SIGQUIT",
  });
  await server.start();
  return owned(server, `postgres://gateway@127.0.0.1:${server.port}/postgres`);
}

/** No Unix socket, and nothing a test run must find again after a power cut. */
const SETTINGS = { listen_addresses: "127.0.0.1", unix_socket_directories: "", fsync: "off", max_connections: "200" };
const asFlags = (settings: Readonly<Record<string, string>>): string[] =>
  Object.entries(settings).flatMap(([name, value]) => ["-c", `${name}=${value}`]);

function initialise(initdb: string, data: string, files: Readonly<Record<string, string>>, owner: Owner): void {
  const args = ["-D", data, "-A", "trust", "-U", "gateway", "-E", "UTF8", "--no-locale", "--no-sync"];
  const made = spawnSync(initdb, args, { ...owner, cwd: "/", env: { ...process.env, LC_ALL: "C" } });
  if (made.status !== 0) throw new Error(`initdb failed: ${made.stderr?.toString() ?? made.error}`);
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(join(data, name), text);
    chmodSync(join(data, name), 0o600); // PostgreSQL refuses a key others can read
    own(join(data, name), owner);
  }
}

/** The server writes its process id in line 1 of this file and its state in line 8. */
function isReady(file: string, pid: number): boolean {
  try {
    const lines = readFileSync(file, "utf8").split("\n");
    return lines[0] === String(pid) && lines[7]?.trim() === "ready";
  } catch {
    return false; // not written yet
  }
}

/** An empty database of its own on this server; answers its URL. */
export async function newDatabase(server: TestServer): Promise<string> {
  const name = `test_${crypto.randomUUID().replaceAll("-", "")}`;
  await asAdmin(server, `create database ${name}`);
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** Needed on a server that outlives the run; whoever is still connected is cut off. */
export const dropDatabase = (server: TestServer, url: string): Promise<void> =>
  asAdmin(server, `drop database if exists ${new URL(url).pathname.slice(1)} with (force)`);

async function asAdmin(server: TestServer, statement: string): Promise<void> {
  const sql = postgres(server.url, { max: 1, onnotice: () => undefined });
  await sql.unsafe(statement);
  await sql.end();
}
