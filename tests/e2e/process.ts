/** Starts the real gateway as a process, as a user would, and talks to it over a socket. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export interface GatewayProcess {
  readonly base: string;
  readonly port: number;
  readonly pid: number;
  readonly dataDir: string;
  readonly adminKey: string;
  readonly gatewayKey: string;
  /** Everything it printed so far. */
  output(): string;
  /** Asks it to end and waits; the folder stays until `remove`. */
  stop(signal?: NodeJS.Signals): Promise<number>;
  remove(): void;
}
export interface StartOptions {
  readonly env?: Readonly<Record<string, string>>;
  /** A folder of an earlier run; a fresh one otherwise. */
  readonly dataDir?: string;
  /** The program; default: the source run. */
  readonly command?: readonly string[];
  readonly cwd?: string;
}

export const ADMIN_KEY = "e2eAdminKey0123456789abcdefABCDEFGHIJ";
export const GATEWAY_KEY = "e2eGatewayKey0123456789abcdefABCDEFGH";
const root = join(import.meta.dir, "../..");
export const SOURCE: readonly string[] = [process.execPath, join(root, "core/main.ts")];

/** Variables of the machine that a test's gateway must not see. */
const HIDDEN = ["DATABASE_URL", "REDIS_URL", "PORT", "HOST", "GATEWAY_PROFILE", "GATEWAY_DATA_DIR"];

export async function startGateway(options: StartOptions = {}): Promise<GatewayProcess> {
  const dataDir = options.dataDir ?? mkdtempSync(join(tmpdir(), "gateway-"));
  const inherited = Object.fromEntries(Object.entries(process.env).filter(([name]) => !HIDDEN.includes(name)));
  const env = {
    ...inherited,
    PORT: "0",
    GATEWAY_DATA_DIR: dataDir,
    GATEWAY_ADMIN_KEY: ADMIN_KEY,
    GATEWAY_API_KEY: GATEWAY_KEY,
    ...options.env,
  };
  const child = Bun.spawn([...(options.command ?? SOURCE), "serve"], { env, cwd: options.cwd ?? root, stdout: "pipe", stderr: "pipe" });
  const printed = new Printed();
  const port = await Promise.race([printed.follow(child.stdout), child.exited.then(() => undefined)]);
  void printed.collect(child.stderr);
  if (port === undefined) throw new Error(`the gateway ended at start (code ${child.exitCode}):\n${printed.text}`);
  return {
    base: `http://127.0.0.1:${port}`,
    port,
    pid: child.pid,
    dataDir,
    adminKey: env.GATEWAY_ADMIN_KEY,
    gatewayKey: env.GATEWAY_API_KEY,
    output: () => printed.text,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      return child.exited;
    },
    remove: () => rmSync(dataDir, { recursive: true, force: true }),
  };
}

class Printed {
  text = "";
  async collect(stream: ReadableStream<Uint8Array>): Promise<void> {
    const decoder = new TextDecoder();
    for await (const bytes of stream) this.text += decoder.decode(bytes, { stream: true });
  }
  /** Resolves with the port as soon as the address was printed; goes on reading. */
  follow(stream: ReadableStream<Uint8Array>): Promise<number | undefined> {
    return new Promise((resolve) => {
      const decoder = new TextDecoder();
      void (async () => {
        for await (const bytes of stream) {
          this.text += decoder.decode(bytes, { stream: true });
          const port = /https?:\/\/127\.0\.0\.1:(\d+)/.exec(this.text)?.[1];
          if (port) resolve(Number(port));
        }
        resolve(undefined);
      })();
    });
  }
}

type Body = Readonly<Record<string, unknown>>;
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly json: Record<string, never>;
}

/** One request with JSON in and out. `json` is whatever came, to be matched by `expect`. */
export async function ask(
  url: string,
  method: string,
  key: string | null,
  body?: Body,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> {
  const response = await fetch(url, {
    method,
    headers: { ...(key !== null && { "x-gateway-api-key": key }), ...(body && { "content-type": "application/json" }), ...headers },
    ...(body && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text.startsWith("{") || text.startsWith("[") ? JSON.parse(text) : {},
  };
}

/** A chat completion from the offline provider unless told otherwise. */
export const chat = (
  gateway: Pick<GatewayProcess, "base" | "gatewayKey">,
  body: Body,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer> =>
  ask(
    `${gateway.base}/v1/chat/completions`,
    "POST",
    gateway.gatewayKey,
    { model: "echo", messages: [{ role: "user", content: "Hello" }], ...body },
    { "x-gateway-provider": "sandbox", ...headers },
  );

/** A condition is looked at so often: without a pause the looking would take the processor from what is waited for. */
const LOOK_EVERY_MS = 2;
/** Waits until the condition holds; fails with the sentence when it does not within the time. */
export async function until<T>(
  what: string,
  condition: () => Promise<T | undefined | false> | T | undefined | false,
  withinMs = 15_000,
): Promise<T> {
  const endsAt = performance.now() + withinMs;
  for (;;) {
    const value = await condition();
    if (value) return value;
    if (performance.now() > endsAt) throw new Error(`not within ${withinMs} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
  }
}
