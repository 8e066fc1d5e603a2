import { join } from "node:path";
import { GatewayError, type Logger, MAX_HEADERS_BYTES, MAX_MESSAGE_BYTES, messageOf } from "#contract";
import { PROBE_PATHS } from "../http/openapi-probes.ts";
import { pathOf } from "../http/request-path.ts";
import { serveGeneration, type Served } from "../http/server.ts";
import { registry } from "../generated/registry.ts";
import { BootFailed } from "../kernel/building.ts";
import { deploymentOf } from "../kernel/discovery/deployment.ts";
import { isFlag } from "../kernel/settings/flags.ts";
import { firstStart, wideScopes } from "./first-start.ts";
import { type Generations, startGenerations } from "../kernel/reload/generations.ts";
import { keepSecretKey } from "../kernel/secrets/kept-key.ts";
import { hideEnvironment } from "../kernel/process/hide-environment.ts";
import { createLog } from "../kernel/process/log.ts";
import { budgetOf, runtimeMemory } from "../kernel/process/memory-budget.ts";
import { judgePlaces } from "../kernel/settings/places.ts";
import { readProfile } from "../kernel/settings/profile.ts";
import type { Settings } from "../kernel/settings/settings.ts";
import { STEP_LIMITS } from "../kernel/life.ts";
import { judgeVariables } from "../kernel/settings/variables.ts";
import { startWatchdog } from "../kernel/process/watchdog/watchdog.ts";
import { openSpools, SPOOL_FOLDER, type Spools } from "../pipeline/settle/spool/spools.ts";
import { type Listening, serve as listen, withRuntimeLimits } from "../platform.ts";
import { announce } from "./banner.ts";
import { readOptions } from "./options.ts";
import { createRuntime, httpSettings, type Runtime } from "./runtime.ts";
import { ONE_WORKER, superviseWorkers, workerIndex, whenParentIsGone } from "./workers.ts";
import { refusedWhile } from "../http/not-ready.ts";

const MB = 1024 * 1024;
/** Before a generation's time is up, its WebSockets are closed: what they used is still told. */
const LAST_CALL_MS = 3_000;

/** `gateway serve`: this process, or several that share the port. */
export async function serve(args: readonly string[]): Promise<number> {
  const { settings } = readOptions("serve", args);
  withRuntimeLimits({ headerBytes: MAX_HEADERS_BYTES, memoryBytes: runtimeMemory(budgetOf(settings)) });
  hideEnvironment();
  if (workerIndex() === null) await judgeSettings(settings);
  if (settings.workers > 1 && workerIndex() === null) return superviseWorkers(settings, args);
  const onHangup = hangups();
  const runtime = createRuntime(settings);
  startWatchdog(workerIndex() === null ? {} : { worker: workerIndex() });
  keepAlive(runtime.log.log);
  const endKeeping = keepSecretKey(settings, runtime.log.log);
  const spools = await spoolsOf(settings, runtime);
  const generations = await startGenerations({
    build: runtime.build,
    attach: (generation) => serveGeneration(generation, { ...httpSettings(settings, runtime), spools }),
    leave: (served: Served) => served.gateway.sessions.leave(STEP_LIMITS.drain - LAST_CALL_MS),
    detach: (served: Served) => served.gateway.close(),
    log: runtime.log.log,
    redact: runtime.log.redact,
    parts: runtime.parts,
    idleLimitMs: STEP_LIMITS.drain,
    runsJobs: true,
  });
  try {
    onHangup(() => void generations.reload().catch(() => undefined)); // a failure is logged where it happens
    return await serveUntilStopped(generations, settings, runtime);
  } finally {
    await generations.close();
    await runtime.compute.close();
    await spools?.close();
    endKeeping();
  }
}

/** Said once, before anything is opened, and by the first process where there are several. */
async function judgeSettings(settings: Settings): Promise<void> {
  await judgePlaces(settings);
  const profile = await readProfile(settings.profile, settings.env);
  const { plugins } = await deploymentOf(profile, registry, settings.env);
  const { errors, unread } = await judgeVariables(plugins, profile, settings.env);
  if (errors.length > 0) throw new BootFailed(errors);
  const { log } = createLog({ level: settings.logLevel, now: Date.now, write: (line) => void process.stderr.write(`${line}\n`) });
  for (const { variable, why } of unread) log("warn", isFlag(variable) ? "flag.unread" : "variable.unread", { variable, why });
}

/** Each of the processes of a data folder has its own, and its share of the disk. */
async function spoolsOf({ spoolMb, workers, dataDir }: Settings, { log, now, parts }: Runtime): Promise<Spools | undefined> {
  if (spoolMb === 0) return undefined;
  const spools = await openSpools({ dir: join(dataDir, SPOOL_FOLDER), limitBytes: (spoolMb * MB) / workers, log: log.log, now });
  parts.set("spool", () => spools.health());
  return spools;
}

async function serveUntilStopped(generations: Generations<Served>, settings: Settings, runtime: Runtime): Promise<number> {
  const { vault, log, now } = runtime;
  const { records } = generations.current.generation.stores;
  // The address comes first: the keys of a start that could not listen would have been made and never shown.
  let answer: Parameters<typeof listen>[0] = () => refusedWhile("it is starting");
  const listening = listenAt(settings, (request, server) => answer(request, server));
  const keys = await firstStart({ records, vault, settings, hide: log.hide, log: log.log, now }).catch(async (thrown: unknown) => {
    await listening.stop(true);
    throw thrown;
  });
  if ((workerIndex() ?? 0) === 0) warnOfWideKey(await wideScopes(records), log.log);
  const stopped = stopAsked(log.log); // whoever reads the address below may signal at once
  answer = (request, server) =>
    runtime.life.isStopping && !isProbe(request) ? refusedWhile("it is stopping") : generations.current.attached.fetch(request, server);
  const { generation, attached } = generations.current;
  const closed = keys ? await refusalOf(keys.admin, attached) : undefined;
  if (workerIndex() !== null) log.log("info", "worker.listening", { url: listening.url.href });
  announce({ url: listening.url, keys, closed, settings, generation, quiet: (workerIndex() ?? 0) !== 0 });
  const why = await stopped;
  runtime.life.isStopping = true;
  if (workerIndex() !== null && why === ONE_WORKER) void listening.stop(false); // its siblings take what comes to their port
  return finish(listening, generations);
}

/** Older builds gave the first gateway key every scope of its workspace. It is the operator's now: said, not taken. */
function warnOfWideKey(scopes: readonly string[], log: Logger): void {
  if (scopes.length === 0) return;
  const why = `the first gateway key may do more than call the data plane: it holds ${scopes.length} scopes of its own`;
  log("warn", "gateway-key.wide", { why, command: "gateway keys narrow" });
}

/** Who asks how it is doing is told until the end, so that load balancers leave. */
const PROBES: ReadonlySet<string> = new Set(Object.values(PROBE_PATHS));
const isProbe = (request: Request): boolean => PROBES.has(pathOf(request));

/** Why the control plane would refuse the admin key, if it would: what is printed beside a key must be true of it. */
async function refusalOf(adminKey: string, { gateway }: Served): Promise<string | undefined> {
  try {
    return (await gateway.identify(new Headers(), adminKey)).dataPlaneOnly;
  } catch (thrown) {
    return messageOf(thrown);
  }
}

/** An address that cannot be taken is a setting to change. */
function listenAt(settings: Settings, fetch: Parameters<typeof listen>[0]): Listening {
  const { host, port } = settings;
  try {
    return listen(fetch, {
      host,
      port,
      reusePort: workerIndex() !== null,
      maxMessageBytes: MAX_MESSAGE_BYTES,
      maxBodyBytes: Math.max(settings.maxBodyMb, settings.maxUploadMb) * MB,
    });
  } catch (thrown) {
    const { code } = thrown as { readonly code?: unknown }; // the runtime throws system errors
    const why = (typeof code === "string" ? CANNOT_LISTEN[code] : undefined) ?? messageOf(thrown);
    throw new GatewayError("SETTING_INVALID", { name: "HOST and PORT", value: `${host}:${port}`, why }, { cause: thrown });
  }
}
const CANNOT_LISTEN: Readonly<Record<string, string>> = {
  EADDRINUSE: "another program listens there; stop it, or set another PORT",
  EACCES: "this user may not listen there; set a PORT above 1023",
  EINVAL: "nothing can listen at that address; one that begins with fe80 needs its interface (fe80::1%eth0)",
  EADDRNOTAVAIL: "the machine has no such address; set another HOST",
};

/** Takes no more, lets requests finish, closes every plugin, and then cuts what still hangs. */
async function finish(listening: Listening, generations: Generations<Served>): Promise<number> {
  await generations.close();
  await listening.stop(true);
  return 0;
}

/** Hears SIGHUP from now on; unheard, it would end a process that is still starting. What came early is told late. */
function hangups(): (tell: () => void) => void {
  let onHangup: (() => void) | undefined;
  let early = false;
  process.on("SIGHUP", () => {
    if (onHangup) onHangup();
    else early = true;
  });
  return (tell) => {
    onHangup = tell;
    if (early) tell();
  };
}

/** A terminal signals all processes of its group, and npm hands the signal on: what comes so soon after the first is that one again. */
const SAME_MS = 2_000;

/** SIGTERM, SIGINT or the parent's end stops. A second one, later, does not wait. */
function stopAsked(log: Logger): Promise<string> {
  return new Promise((resolve) => {
    let askedAt: number | undefined;
    const stop = (why: string): void => {
      if (askedAt !== undefined && performance.now() - askedAt < SAME_MS) return;
      if (askedAt !== undefined) process.exit(1);
      askedAt = performance.now();
      log("info", "stopping", { why });
      resolve(why);
    };
    for (const signal of ["SIGTERM", "SIGINT"] as const) process.on(signal, () => stop(signal));
    whenParentIsGone(() => stop("the parent process ended"));
  });
}

/** What a plugin lets escape (a timer that throws, a promise nobody awaits) is reported, and the gateway goes on. */
function keepAlive(log: Logger): void {
  process.on("uncaughtException", (error) => log("error", "uncaught", { why: messageOf(error), error }));
  process.on("unhandledRejection", (error) => log("error", "uncaught", { why: messageOf(error), error }));
  process.stderr.on("error", () => undefined); // whoever read the log has gone: saying so there would fail again, and again
}
