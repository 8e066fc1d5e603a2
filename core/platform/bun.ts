import { maxHeaderSize } from "node:http";
import { fileURLToPath } from "node:url";
// The package does not export it; imported as a file it is put into the executable too.
import docsScript from "../../node_modules/@scalar/fastify-api-reference/dist/js/standalone.js" with { type: "file" };
import type { Child, Listening, ListenOptions, PipedChild, Platform, RuntimeLimits, SocketEnd, SocketListener } from "../platform.ts";

/** On Bun, from source and as a compiled binary. */
export const platform: Platform = {
  serve,
  upgrade: (server, request, headers, listener) => (server as Bun.Server<SocketListener>).upgrade(request, { headers, data: listener }), // `serve` handed it over
  noSockets: null,
  addressOf: (server, request) => (server as Bun.Server<SocketListener>).requestIP(request)?.address ?? null, // and here
  hasLeft: (request) => request.signal.aborted,
  importModule: (path, version) => import(`${path}?v=${version}`), // a `file:` URL loses its query here, a path keeps it
  noSourceCommands: isCompiled() ? "works on the source tree and is not part of a compiled binary." : null,
  timedId: (now) => Bun.randomUUIDv7("hex", now),
  spawnSelf,
  spawnPiped,
  ownPipes,
  withRuntimeLimits,
  keepsEnvironment: true,
  startWorker,
  fetchPins: true,
  docsScript,
};

function serve(fetch: Parameters<Platform["serve"]>[0], options: ListenOptions): Listening {
  const server = Bun.serve<SocketListener>({
    fetch,
    websocket: { ...SOCKETS, maxPayloadLength: options.maxMessageBytes },
    hostname: options.host,
    port: options.port,
    reusePort: options.reusePort,
    maxRequestBodySize: options.maxBodyBytes,
    idleTimeout: 0, // a model may think for minutes before its first byte; deadlines are the pipeline's
    development: false,
  });
  return { url: server.url, port: server.port ?? options.port, stop: (force) => server.stop(force) };
}

/** Seconds after which a client is asked whether it is still there, and then let go. */
const SILENT_SEC = 120;
/** No message is lost: who is behind is waited for, by whoever writes. */
const SOCKETS: Bun.WebSocketHandler<SocketListener> = {
  backpressureLimit: 0,
  idleTimeout: SILENT_SEC,
  open: (socket) => socket.data.open(new ClientEnd(socket)),
  message: (socket, message) => socket.data.message(message),
  drain: (socket) => socket.data.drained(),
  close: (socket, code, reason) => socket.data.closed(code, reason),
};
class ClientEnd implements SocketEnd {
  constructor(private readonly socket: Bun.ServerWebSocket<SocketListener>) {}
  get waiting(): number {
    return this.socket.getBufferedAmount();
  }
  send(message: string | Uint8Array): void {
    this.socket.send(message);
  }
  pause(): void {
    this.socket.pause();
  }
  resume(): void {
    this.socket.resume();
  }
  close(code: number, reason: string): void {
    this.socket.close(code, reason);
  }
  cut(): void {
    this.socket.terminate();
  }
}

/** Is this a compiled binary, whose own modules live in a virtual file system? */
function isCompiled(): boolean {
  return Bun.main.startsWith("/$bunfs/") || Bun.main.includes("~BUN");
}

function spawnSelf(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Child {
  const command = isCompiled() ? [process.execPath, ...args] : [process.execPath, Bun.main, ...args];
  const child = Bun.spawn(command, { env: { ...process.env, ...env }, stdio: ["ignore", "inherit", "inherit"] });
  return { pid: child.pid, exited: child.exited, kill: (signal) => child.kill(signal) };
}

function spawnPiped(args: readonly string[]): PipedChild {
  const main = fileURLToPath(new URL("../main.ts", import.meta.url));
  const command = isCompiled() ? [process.execPath, ...args] : [process.execPath, main, ...args];
  const child = Bun.spawn(command, { env: {}, cwd: "/", stdio: ["pipe", "pipe", "ignore"], detached: true });
  child.unref();
  return {
    pid: child.pid,
    exited: child.exited,
    kill: (signal) => child.kill(signal),
    output: child.stdout,
    async write(bytes) {
      await Promise.all([child.stdin.write(bytes), child.stdin.flush()]); // of a process that has ended, both may fail
    },
  };
}

function ownPipes(): ReturnType<Platform["ownPipes"]> {
  const output = Bun.stdout.writer();
  return {
    input: Bun.stdin.stream(),
    async write(bytes) {
      await Promise.all([output.write(bytes), output.flush()]);
    },
  };
}

/*
 * Bun reads these once, before any code runs: its limit of outgoing connections (256 unless told otherwise), the bytes of
 * a request's headers (16 KB), and the memory there is.
 */
const CONNECTIONS = "BUN_CONFIG_MAX_HTTP_REQUESTS";
const MAX_CONNECTIONS = "65535";
const OPTIONS = "BUN_OPTIONS";
const HEADER_BYTES = "--max-http-header-size";
const MEMORY = "BUN_JSC_forceRAMSize";

/**
 * Makes this program the one that may hold as many upstream connections as there are requests, takes headers of so many
 * bytes, and collects its garbage in time: where a limit is not set, the process replaces itself by the same one with it
 * set (same pid, same files). Where that cannot be done, or does not help, it goes on.
 */
function withRuntimeLimits({ headerBytes, memoryBytes }: RuntimeLimits): void {
  if (typeof process.execve !== "function") return;
  const limits = { ...unlessSet(CONNECTIONS, MAX_CONNECTIONS), ...unlessSet(MEMORY, String(memoryBytes)), ...headerLimit(headerBytes) };
  if (Object.keys(limits).length === 0) return;
  const own = isCompiled() ? [] : [...process.execArgv, Bun.main]; // the runtime's own flags too, `--watch` among them
  process.execve(process.execPath, [process.execPath, ...own, ...process.argv.slice(2)], { ...process.env, ...limits });
}

const unlessSet = (name: string, value: string): Readonly<Record<string, string>> =>
  process.env[name] === undefined ? { [name]: value } : {};

/** An operator's own figure stands, and so does ours, should the runtime not have taken it. */
function headerLimit(bytes: number): Readonly<Record<string, string>> {
  const options = process.env[OPTIONS] ?? "";
  const given = [options, ...process.execArgv].some((text) => text.includes(HEADER_BYTES));
  return given || maxHeaderSize >= bytes ? {} : { [OPTIONS]: `${options} ${HEADER_BYTES}=${bytes}`.trim() };
}

/** A compiled binary holds workers under their path from the repository's root (`core/build/build.ts` names them as entry points). */
function startWorker(path: string): Worker {
  const worker = new Worker(isCompiled() ? `./${path}` : new URL(`../../${path}`, import.meta.url).href);
  (worker as Worker & { unref(): void }).unref(); // the runtime has it, the web's type does not
  return worker;
}
