import { maxHeaderSize } from "node:http";
import { fileURLToPath } from "node:url";

/**
 * Where the runtime shows: the only file of the core that names Bun. Everything else is web standard or `node:`.
 * Each function is here because the core uses it.
 */
export interface Listening {
  readonly url: URL;
  readonly port: number;
  /** Stops accepting; with `force`, cuts what is open. */
  stop(force: boolean): Promise<void>;
}
export interface ListenOptions {
  readonly host: string;
  readonly port: number;
  /** Several processes share the port (Linux). */
  readonly reusePort: boolean;
  readonly maxBodyBytes: number;
}
/** The server, as a request handler sees it. */
export type Server = Bun.Server<undefined>;
/** Address of who sent this request; `null` once they have gone. */
export const addressOf = (server: Server, request: Request): string | null => server.requestIP(request)?.address ?? null;

export function serve(fetch: (request: Request, server: Server) => Response | Promise<Response>, options: ListenOptions): Listening {
  const server = Bun.serve({
    fetch,
    hostname: options.host,
    port: options.port,
    reusePort: options.reusePort,
    maxRequestBodySize: options.maxBodyBytes,
    idleTimeout: 0, // a model may think for minutes before its first byte; deadlines are the pipeline's
    development: false,
  });
  return { url: server.url, port: server.port ?? options.port, stop: (force) => server.stop(force) };
}

/**
 * Imports a module by absolute path. `version` is part of the module's identity: other content under the same path
 * is loaded afresh, the same content is not loaded twice. (A `file:` URL loses its query here, a path keeps it.)
 */
export const importModule = (path: string, version: string): Promise<unknown> => import(`${path}?v=${version}`);

/** Is this a compiled binary, whose own modules live in a virtual file system? */
export const isCompiled = (): boolean => Bun.main.startsWith("/$bunfs/") || Bun.main.includes("~BUN");

/** A UUID of version 7: it begins with the time, so that stored requests are appended to their index, not scattered over it. */
export const timedId = (now: number): string => Bun.randomUUIDv7("hex", now);

export interface Child {
  readonly pid: number;
  /** Resolves with the exit code. */
  readonly exited: Promise<number>;
  kill(signal: NodeJS.Signals): void;
}
/** Starts this same program again: the binary itself, or the runtime with the main module. */
export function spawnSelf(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Child {
  const command = isCompiled() ? [process.execPath, ...args] : [process.execPath, Bun.main, ...args];
  const child = Bun.spawn(command, { env: { ...process.env, ...env }, stdio: ["ignore", "inherit", "inherit"] });
  return { pid: child.pid, exited: child.exited, kill: (signal) => child.kill(signal) };
}

/** A child with pipes: bytes go in, bytes come out. */
export interface PipedChild extends Child {
  /** Resolves once the pipe has taken them. */
  write(bytes: Uint8Array): Promise<void>;
  readonly output: AsyncIterable<Uint8Array>;
}
/**
 * Starts this same program again with pipes, nothing of our environment, and no say in when we end. Not in our folder
 * either: the runtime would read an `.env` file there.
 */
export function spawnPiped(args: readonly string[]): PipedChild {
  const main = fileURLToPath(new URL("./main.ts", import.meta.url));
  const command = isCompiled() ? [process.execPath, ...args] : [process.execPath, main, ...args];
  const child = Bun.spawn(command, { env: {}, cwd: "/", stdio: ["pipe", "pipe", "ignore"] });
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
/** The pipes of a process that was started by `spawnPiped`. */
export function ownPipes(): { readonly input: AsyncIterable<Uint8Array>; write(bytes: Uint8Array): Promise<void> } {
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

/** What the runtime is told at its start. */
export interface RuntimeLimits {
  /** Most bytes of one request's headers. */
  readonly headerBytes: number;
  /** Garbage is collected as if the machine had so many bytes of memory. */
  readonly memoryBytes: number;
}

/**
 * Makes this program the one that may hold as many upstream connections as there are requests, takes headers of so many
 * bytes, and collects its garbage in time: where a limit is not set, the process replaces itself by the same one with it
 * set (same pid, same files). Where that cannot be done, or does not help, it goes on.
 */
export function withRuntimeLimits({ headerBytes, memoryBytes }: RuntimeLimits): void {
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

/**
 * Starts a module of the tree as a Worker that does not keep the process alive. A compiled binary holds workers under
 * their path from the repository's root (`core/build/build.ts` names them as entry points).
 */
export function startWorker(path: string): Worker {
  const worker = new Worker(isCompiled() ? `./${path}` : new URL(`../${path}`, import.meta.url).href);
  (worker as Worker & { unref(): void }).unref(); // the runtime has it, the web's type does not
  return worker;
}
