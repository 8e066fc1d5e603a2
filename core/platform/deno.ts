import { type ChildProcess, spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { constants } from "node:os";
import type { Writable } from "node:stream";
import { fileURLToPath, pathToFileURL } from "node:url";
import type { Child, Listening, ListenOptions, PipedChild, Platform } from "../platform.ts";

/** On Deno, from source. */
export const platform: Platform = {
  serve,
  upgrade: () => false,
  noSockets: "those of Deno cannot be told to wait, so that a slow reader would fill the memory; run it with Bun",
  addressOf: (peer) => (peer as Peer).remoteAddr.hostname, // `serve` handed it over
  hasLeft: (request, thrown) => request.signal.aborted || (thrown instanceof Error && CUT.has(thrown.name)),
  importModule: (path, version) => import(`${pathToFileURL(path).href}?v=${version}`),
  noSourceCommands: "is written for Bun: run it with `npx bun core/main.ts`.",
  timedId,
  spawnSelf,
  spawnPiped,
  ownPipes,
  keepsEnvironment: false,
  withRuntimeLimits: () => undefined, // it has none of these limits, and sees the memory of its container
  startWorker: (path) => new Worker(new URL(`../../${path}`, import.meta.url), { type: "module" }),
  fetchPins: false,
  docsScript: fileURLToPath(new URL("../../node_modules/@scalar/fastify-api-reference/dist/js/standalone.js", import.meta.url)),
};

/** What is used of the runtime's own API, whose types are no part of this tree. */
declare const Deno: {
  serve(
    options: {
      readonly hostname: string;
      readonly port: number;
      readonly reusePort: boolean;
      readonly signal: AbortSignal;
      onListen(): void;
    },
    handler: (request: Request, peer: Peer) => Response | Promise<Response>,
  ): { readonly addr: { readonly port: number }; readonly finished: Promise<void>; shutdown(): Promise<void> };
  readonly stdin: { readonly readable: ReadableStream<Uint8Array> };
  readonly stdout: { readonly writable: WritableStream<Uint8Array> };
};
interface Peer {
  readonly remoteAddr: { readonly hostname: string };
}

function serve(fetch: Parameters<Platform["serve"]>[0], { host, port, reusePort, maxBodyBytes }: ListenOptions): Listening {
  const cutter = new AbortController();
  const answer = (request: Request, peer: Peer): Response | Promise<Response> =>
    Number(request.headers.get("content-length")) > maxBodyBytes ? new Response(null, TOO_LARGE) : fetch(withOwnPath(request), peer);
  const server = Deno.serve({ hostname: host, port, reusePort, signal: cutter.signal, onListen: () => undefined }, answer);
  const stop = async (force: boolean): Promise<void> => {
    if (force) cutter.abort();
    await (force ? server.finished : server.shutdown());
  };
  return { url: new URL(`http://${host.includes(":") ? `[${host}]` : host}:${server.addr.port}`), port: server.addr.port, stop };
}
/** What reading from a connection that is gone throws, before its signal fires. */
const CUT: ReadonlySet<string> = new Set(["BadResource", "Http", "Interrupted", "ConnectionReset", "BrokenPipe", "UnexpectedEof"]);
const TOO_LARGE: ResponseInit = { status: 413, headers: { connection: "close" } };

const HOST = /^[\w.-]+(:\d+)?$|^\[[\da-f:.]+\](:\d+)?$/i;

/**
 * The runtime joins Host and target to a URL as they came: dot segments stand in it, and a Host with a slash would have
 * chosen the path. Here both are judged and resolved, once, so that all who read the path read the same one. What cannot
 * be resolved is left a path without a host, which the router refuses.
 */
function withOwnPath(request: Request): Request {
  const host = request.headers.get("host");
  const url = host === null || host === "" || HOST.test(host) ? URL.parse(request.url) : null;
  return Object.defineProperty(request, "url", { value: url === null ? "/" : url.href });
}

/** The time, then a number that grows within a millisecond, then chance. */
function timedId(now: number): string {
  if (now === last.ms) last.count += 1;
  else Object.assign(last, { ms: now, count: 0 });
  const time = now.toString(16).padStart(12, "0");
  const chance = randomBytes(8);
  chance.writeUInt8((chance.readUInt8(0) & 0x3f) | 0x80, 0); // the variant
  const rest = chance.toString("hex");
  const count = (last.count & 0xfff).toString(16).padStart(3, "0");
  return `${time.slice(0, 8)}-${time.slice(8)}-7${count}-${rest.slice(0, 4)}-${rest.slice(4)}`;
}
const last = { ms: 0, count: 0 };

const RUN: readonly string[] = ["run", "--quiet", "--allow-all", fileURLToPath(new URL("../main.ts", import.meta.url))];

function spawnSelf(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Child {
  return childOf(spawn(process.execPath, [...RUN, ...args], { env: { ...process.env, ...env }, stdio: ["ignore", "inherit", "inherit"] }));
}

function spawnPiped(args: readonly string[]): PipedChild {
  const child = spawn(process.execPath, [...RUN, ...args], { env: {}, cwd: "/", stdio: ["pipe", "pipe", "ignore"], detached: true });
  child.unref();
  child.stdin.on("error", () => undefined); // whoever writes is told
  return { ...childOf(child), output: child.stdout, write: writer(child.stdin) };
}

function childOf(child: ChildProcess): Child {
  const { pid = 0 } = child;
  let isOver = child.pid === undefined; // it was never started
  const exited = new Promise<number>((resolve) => {
    child.once("exit", (code, signal) => {
      isOver = true;
      resolve(code ?? 128 + (signal === null ? 0 : constants.signals[signal]));
    });
    child.once("error", () => resolve(1));
  });
  return { pid, exited, kill: (signal) => (isOver ? undefined : signalled(pid, signal)) };
}

/** Deno 2.9.6 says of a child that it has signalled itself that the signal ended it, whatever code it ended with. */
function signalled(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // it has just ended
  }
}

function ownPipes(): ReturnType<Platform["ownPipes"]> {
  const output = Deno.stdout.writable.getWriter(); // what is written to `process.stdout` may have been silenced
  return { input: Deno.stdin.readable, write: (bytes) => output.write(bytes) };
}

const writer =
  (pipe: Writable) =>
  (bytes: Uint8Array): Promise<void> =>
    new Promise((resolve, reject) => pipe.write(bytes, (failure) => (failure ? reject(failure) : resolve())));
