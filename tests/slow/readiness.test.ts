/** A gateway whose store is away, or whose disk is full, serves warm requests: it is ready, and names what is degraded. */
import { afterEach, describe, expect, test } from "bun:test";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isSkip, newDatabase, ownPostgres, ownRedis, type TestServer } from "../servers/index.ts";
import { ADMIN_KEY, ask, chat, SOURCE, type StartOptions, until } from "../e2e/process.ts";
import { endAll, degradedPart, ends, get, isReady, start } from "../e2e/readiness.ts";

afterEach(endAll);

describe("a store that is away", () => {
  async function away(server: TestServer, env: Readonly<Record<string, string>>, part: string): Promise<void> {
    const gateway = await start({ env });
    expect((await chat(gateway, {})).status).toBe(200);
    await isReady(gateway);
    await server.stop();
    expect((await degradedPart(gateway, part)).why).toContain("cannot be reached");
    expect((await chat(gateway, {})).status).toBe(200);
    expect((await get(gateway, "/healthz")).status).toBe(200);
    await server.start();
    await isReady(gateway);
  }
  test("leaves a gateway ready that serves warm requests, and is named: PostgreSQL", async () => {
    const server = await ownPostgres();
    if (isSkip(server)) throw new Error(server.skip);
    ends.push(() => server.remove());
    await away(server, { DATABASE_URL: await newDatabase(server) }, "store/records");
  }, 90_000);
  test("leaves a gateway ready that serves warm requests, and is named: Redis", async () => {
    const server = await ownRedis();
    if (isSkip(server)) throw new Error(server.skip);
    ends.push(() => server.remove());
    await away(server, { REDIS_URL: server.url }, "store/counters");
  }, 90_000);
});

/** A data folder with little room: on a small file system where one may be made, else by a limit on the size of files. */
function smallDisk(): { readonly options: StartOptions; fill(): void; readonly limited: boolean } {
  const disk = mkdtempSync(join(tmpdir(), "gateway-full-"));
  const mounted = spawnSync("mount", ["-t", "tmpfs", "-o", "size=16m", "tmpfs", disk]).status === 0;
  ends.push(() => {
    if (mounted) spawnSync("umount", ["-l", disk]);
    rmSync(disk, { recursive: true, force: true });
  });
  const limited = ["bash", "-c", 'trap "" XFSZ; exec "$@"', "bash", ...SOURCE];
  return {
    options: { dataDir: join(disk, "data"), ...(mounted ? {} : { command: limited }) },
    limited: !mounted,
    fill() {
      if (!mounted) return;
      try {
        for (let at = 0; ; at += 1) writeFileSync(join(disk, `filler-${at}`), Buffer.alloc(16_384));
      } catch {
        // no room is left, as it should be
      }
    },
  };
}

test("a full disk leaves a gateway ready that serves warm requests, and is named", async () => {
  const disk = smallDisk();
  const gateway = await start(disk.options);
  expect((await chat(gateway, {})).status).toBe(200);
  await isReady(gateway);
  disk.fill();
  if (disk.limited) spawnSync("prlimit", ["--pid", String(gateway.pid), "--fsize=4096"]);
  expect((await degradedPart(gateway, "store/records", 60_000)).why).toMatch(/can be read and not written|cannot be reached/);
  expect((await chat(gateway, {})).status).toBe(200);
  const create = () =>
    ask(`${gateway.base}/v2/api-keys/service`, "POST", ADMIN_KEY, { name: "k", workspace_id: "default", scopes: ["logs.view"] });
  await until("creates are refused", async () => (await create()).status === 503, 20_000);
}, 90_000);
