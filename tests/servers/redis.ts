import { connect } from "node:net";
import { join } from "node:path";
import { findFolder } from "./binaries.ts";
import { findOrInstall } from "./install.ts";
import { type ServerProcess, serverProcess } from "./process.ts";
import { type Skip, type TestServer, given, oncePerRun, owned } from "./server.ts";

/** The run's Redis: TEST_REDIS_URL, or one started on first use. */
export const redisServer = (): Promise<TestServer | Skip> =>
  oncePerRun("redis", async () => {
    const url = process.env.TEST_REDIS_URL;
    return url ? given("TEST_REDIS_URL", url) : ownRedis();
  });

/** A Redis of the caller's own, for tests that stop it; the caller calls `remove`. */
export async function ownRedis(): Promise<(TestServer & ServerProcess) | Skip> {
  const program = findOrInstall("redis", findProgram);
  if ("skip" in program) return program;
  const server = await serverProcess({
    name: "redis",
    file: program.found,
    args: (folder, port) => ["--port", String(port), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no", "--dir", folder],
    ready: ({ port }) => pongs(port),
    signal: "SIGKILL",
  });
  await server.start();
  return owned(server, `redis://127.0.0.1:${server.port}`);
}

const NAMES = ["redis-server", "valkey-server"];
function findProgram(): string | undefined {
  for (const name of NAMES) {
    const folder = findFolder([name]);
    if (folder !== undefined) return join(folder, name);
  }
  return undefined;
}

const pongs = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const socket = connect({ port, host: "127.0.0.1" }, () => socket.write("PING\r\n"));
    socket.setTimeout(500, () => socket.destroy());
    socket.on("data", (data) => {
      resolve(data.toString().startsWith("+PONG"));
      socket.destroy();
    });
    socket.on("error", () => resolve(false));
    socket.on("close", () => resolve(false));
  });
