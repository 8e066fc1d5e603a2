/**
 * Where the runtime shows: what the core asks of it, and the choice between the two that can do it. Each is a folder
 * member of its own, and only the one that runs is loaded. Everything else is web standard or `node:`.
 */
export interface Platform {
  /** Listens, and hands each request to `fetch` with whom it came from. */
  serve(fetch: (request: Request, server: Server) => Response | Promise<Response>, options: ListenOptions): Listening;
  /**
   * Makes a WebSocket of a request that asks for one and has not been answered; whatever is answered then is not sent. Says
   * `false` where the client has gone.
   */
  upgrade(server: Server, request: Request, headers: Readonly<Record<string, string>>, listener: SocketListener): boolean;
  /** Why there are no WebSockets here; `null` where there are. */
  readonly noSockets: string | null;
  /** Address of who sent this request; `null` once they have gone. */
  addressOf(server: Server, request: Request): string | null;
  /** Has its client left, so that this was thrown while its body was read? */
  hasLeft(request: Request, thrown: unknown): boolean;
  /**
   * Imports a module by absolute path. `version` is part of the module's identity: other content under the same path
   * is loaded afresh, the same content is not loaded twice.
   */
  importModule(path: string, version: string): Promise<unknown>;
  /** Why the commands that work on the source tree cannot run here, as what is said of one; `null` where they can. */
  readonly noSourceCommands: string | null;
  /** A UUID of version 7: it begins with the time, so that stored requests are appended to their index, not scattered over it. */
  timedId(now: number): string;
  /** Starts this same program again: the binary itself, or the runtime with the main module. */
  spawnSelf(args: readonly string[], env: Readonly<Record<string, string | undefined>>): Child;
  /**
   * Starts this same program again with pipes, nothing of our environment, and no say in when we end; it is the first of a
   * group of processes. Not in our folder
   * either: the runtime would read an `.env` file there.
   */
  spawnPiped(args: readonly string[]): PipedChild;
  /** The pipes of a process that was started by `spawnPiped`. */
  ownPipes(): { readonly input: AsyncIterable<Uint8Array>; write(bytes: Uint8Array): Promise<void> };
  /** Makes this program one that lives within these limits, where the runtime takes any and is not told yet. */
  withRuntimeLimits(limits: RuntimeLimits): void;
  /** Is what `process.env` says kept by the runtime, wherever the system has it? */
  readonly keepsEnvironment: boolean;
  /** Starts a module of the tree, named by its path from the repository's root, as a Worker that does not keep the process alive. */
  startWorker(path: string): Worker;
  /** Does `fetch` connect to an address under another name, and leave the body it gets as it came, when told so? */
  readonly fetchPins: boolean;
  /** Path of the script of `/docs`: in the package it comes with, or inside the executable. */
  readonly docsScript: string;
}

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
  /** Largest message of a WebSocket's client; a larger one ends it (1009). */
  readonly maxMessageBytes: number;
}
/** One end of a WebSocket, ours to write to: the client's, or a provider's. */
export interface SocketEnd {
  send(message: string | Uint8Array): void;
  /** Bytes that were given to it and are not on their way. */
  readonly waiting: number;
  /** Nothing more is read of it until `resume`; what has been read already is still told. */
  pause(): void;
  resume(): void;
  /** Says why, and ends it. */
  close(code: number, reason: string): void;
  /** Ends it at once. */
  cut(): void;
}
/** Hears of it. */
export interface SocketListener {
  open(end: SocketEnd): void;
  message(message: string | Uint8Array): void;
  /** What was waiting is on its way. */
  drained(): void;
  /** It is over: told once. 1005: it was closed without a code; 1006: it broke. */
  closed(code: number, reason: string): void;
}
/** What the runtime hands over beside a request: `addressOf` and `upgrade` read it. */
export type Server = object;

export interface Child {
  readonly pid: number;
  /** Resolves with the exit code. */
  readonly exited: Promise<number>;
  kill(signal: NodeJS.Signals): void;
}
/** A child with pipes: bytes go in, bytes come out. */
export interface PipedChild extends Child {
  /** Resolves once the pipe has taken them. */
  write(bytes: Uint8Array): Promise<void>;
  readonly output: AsyncIterable<Uint8Array>;
}

/** What the runtime is told at its start. */
export interface RuntimeLimits {
  /** Most bytes of one request's headers. */
  readonly headerBytes: number;
  /** Garbage is collected as if the machine had so many bytes of memory. */
  readonly memoryBytes: number;
}

async function chosen(): Promise<Platform> {
  if (process.versions["deno"] === undefined) return (await import("./platform/bun.ts")).platform;
  const path = new URL("./platform/deno.ts", import.meta.url).href; // computed, so that the bundler leaves it out of Bun's binary
  return ((await import(path)) as { readonly platform: Platform }).platform; // what that file exports
}

export const {
  serve,
  upgrade,
  noSockets,
  addressOf,
  hasLeft,
  importModule,
  noSourceCommands,
  timedId,
  spawnSelf,
  spawnPiped,
  ownPipes,
  withRuntimeLimits,
  keepsEnvironment,
  startWorker,
  fetchPins,
  docsScript,
} = await chosen();
