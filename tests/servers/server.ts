import type { ServerProcess } from "./process.ts";

/** A real server to test against. */
export interface TestServer {
  readonly url: string;
  /** False when the server was given by URL: then it is not ours to stop, and the five below throw. */
  readonly owned: boolean;
  /** Ends it as a crash would. */
  stop(): Promise<void>;
  start(): Promise<void>;
  restart(): Promise<void>;
  /** SIGSTOP to all its processes: connections open, nothing answers. */
  pause(): void;
  resume(): void;
}

/** Why there is no server; suites print it and are reported as skipped. */
export interface Skip {
  readonly skip: string;
}
export const isSkip = (server: TestServer | Skip): server is Skip => "skip" in server;

export const owned = (server: ServerProcess, url: string): TestServer & ServerProcess => ({
  ...server,
  url,
  owned: true,
  restart: async () => {
    await server.stop();
    await server.start();
  },
});

export function given(variable: string, url: string): TestServer {
  const refuse = (): never => {
    throw new Error(`the server of ${variable} is not ours to stop`);
  };
  return { url, owned: false, stop: refuse, start: refuse, restart: refuse, pause: refuse, resume: refuse };
}

/** The runner loads this module anew for every test file; what must be one per run hangs on the global object. */
const RUN = globalThis as { gatewayTestServers?: Map<string, Promise<TestServer | Skip>> }; // a name of ours on the global object

export function oncePerRun(name: string, make: () => Promise<TestServer | Skip>): Promise<TestServer | Skip> {
  const running = (RUN.gatewayTestServers ??= new Map<string, Promise<TestServer | Skip>>());
  const server = running.get(name) ?? make();
  if (!running.has(name)) {
    running.set(name, server);
    void server.then((made) => isSkip(made) && console.warn(`tests: skipped, ${made.skip}`));
  }
  return server;
}
