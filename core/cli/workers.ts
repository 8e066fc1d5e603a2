import { constants } from "node:os";
import { GatewayError } from "#contract";
import packageInfo from "../../package.json" with { type: "json" };
import { INTERNAL, type Settings } from "../kernel/settings/settings.ts";
import { type Child, spawnSelf } from "../platform.ts";

const VARIABLE = `${INTERNAL}WORKER`;
/** A worker that dies younger than this did not come up. */
const YOUNG_MS = 5_000;
const MAX_YOUNG_DEATHS = 3;
/** Ended by SIGHUP before it could hear it: the next one reads the profile as it now is. */
const HANGUP = 128 + constants.signals.SIGHUP;
const PARENT_CHECK_MS = 1_000;
/** The signal that ends one worker, whose siblings go on; when all of them end, their supervisor sends the other. */
export const ONE_WORKER = "SIGTERM";
const ALL_WORKERS = "SIGINT";

/** Which worker this process is; `null` for a process that was started by a person. */
export function workerIndex(): number | null {
  const text = process.env[VARIABLE];
  return text === undefined ? null : Number(text);
}

/** Runs the workers, starts again the ones that die, hands signals on, and ends with the last of them. */
export async function superviseWorkers(settings: Settings, args: readonly string[]): Promise<number> {
  if (settings.port === 0)
    throw new GatewayError("SETTING_INVALID", {
      name: "PORT",
      value: "0",
      why: "several workers share one port, so it must be a fixed one",
    });
  const children = new Map<number, Child>();
  let stopping = false;
  const signalAll = (signal: NodeJS.Signals): void => children.forEach((child) => child.kill(signal));
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    process.on(signal, () => {
      stopping = true;
      signalAll(ALL_WORKERS);
    });
  }
  process.on("SIGHUP", () => signalAll("SIGHUP"));
  whenParentIsGone(() => {
    stopping = true;
    signalAll(ALL_WORKERS);
  });

  async function superviseWorker(index: number): Promise<number> {
    for (let youngDeaths = 0; ; ) {
      const startedAt = Date.now();
      const child = spawnSelf(["serve", ...args], { [VARIABLE]: String(index) });
      children.set(index, child);
      const code = await child.exited;
      children.delete(index);
      if (stopping) return code;
      const failed = code !== HANGUP && Date.now() - startedAt < YOUNG_MS;
      youngDeaths = failed ? youngDeaths + 1 : 0;
      if (youngDeaths >= MAX_YOUNG_DEATHS) {
        stopping = true;
        signalAll(ALL_WORKERS);
        return code || 1;
      }
      console.error(`Worker ${index} (process ${child.pid}) ended with ${code}; starting it again.`);
    }
  }
  const codes = await Promise.all(Array.from({ length: settings.workers }, (_, index) => superviseWorker(index)));
  return Math.max(...codes);
}

/**
 * A worker whose supervisor was killed stops too, and so does a gateway whose npm was: npm hands SIGTERM and SIGINT on,
 * but not what ends itself at once. Any other gateway may have been put into the background, and outlives who started it.
 */
export function whenParentIsGone(tell: () => void): void {
  if (workerIndex() === null && !isNpmScript(process.env)) return;
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    tell();
  }, PARENT_CHECK_MS);
  timer.unref?.();
}

/** Scripts of our own package.json that serve. Of another package's script this may be a background job; `npx` is how npm calls itself when it runs our binary. */
const SERVING: ReadonlySet<string | undefined> = new Set(["start", "dev", "gateway", "npx"]);
const isNpmScript = (env: Readonly<Record<string, string | undefined>>): boolean =>
  env["npm_package_name"] === packageInfo.name && SERVING.has(env["npm_lifecycle_event"]);
