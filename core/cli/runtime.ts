import { type HeaderClasses, headerClasses, type Vault } from "#contract";
import { Isolation } from "../compute/isolated/isolation.ts";
import { ComputePool } from "../compute/pool.ts";
import { gatewayIdOf, isLoop } from "../egress/loop.ts";
import { createEgress, type Egress } from "../egress/egress.ts";
import { registry } from "../generated/registry.ts";
import { boot } from "../kernel/boot.ts";
import { firstKeysOf } from "./first-start.ts";
import { MAX_DEPTH } from "../json/bounded.ts";
import type { HttpSettings } from "../http/settings.ts";
import type { GenerationsParts } from "../kernel/reload/serving.ts";
import { createLog, hideEnvironment, type ProcessLog } from "../kernel/process/log.ts";
import { MemoryBudget, budgetOf } from "../kernel/process/memory-budget.ts";
import { type OwnKeys, ownKeys } from "../kernel/secrets/own-keys.ts";
import type { PartHealth } from "../kernel/states.ts";
import { makeDataFolder } from "../kernel/settings/places.ts";
import { readProfile } from "../kernel/settings/profile.ts";
import { SETTINGS, type SettingRow, type Settings } from "../kernel/settings/settings.ts";
import { eventLoopHealth } from "../kernel/process/watchdog/watchdog.ts";
import { createVault, vaultSecret } from "../kernel/secrets/vault.ts";
import { workerIndex } from "./workers.ts";

/** What lives as long as the process, whichever generation serves. */
export interface Runtime {
  readonly log: ProcessLog;
  readonly vault: Vault;
  readonly egress: Egress;
  /** Tells this deployment's own requests when they come back: the same on every node that shares the secret key. */
  readonly gatewayId: string;
  /** What a header's name says of it, in this deployment. */
  readonly headers: HeaderClasses;
  /** Keys of the gateway, which never leave it. */
  readonly ownKeys: OwnKeys;
  readonly now: () => number;
  /** Parts of the process that outlive generations and have a state to tell. */
  readonly parts: PartHealth;
  readonly compute: ComputePool;
  readonly isolation: Isolation;
  readonly memory: MemoryBudget;
  /** What the process is up to. */
  readonly life: { isStopping: boolean };
  readonly build: GenerationsParts<unknown>["build"];
}

/** `keepsTables`: for a command that must not change the tables of a deployment that another build may be serving. */
export function createRuntime(settings: Settings, keepsTables = false): Runtime {
  makeDataFolder(settings.dataDir);
  const now = Date.now;
  const headers = headerClasses(settings.headerAliases);
  const log = logFor(settings, headers, now);
  const vault = createVault(vaultSecret(settings), log.hide, settings.apiKeyPrefix);
  const gatewayId = gatewayIdOf(vault);
  const keys = ownKeys(vault);
  for (const key of firstKeysOf(settings)) keys.remember(key);
  const memory = new MemoryBudget(budgetOf(settings), now);
  const egress = createEgress({
    trustedHosts: settings.trustedHosts,
    hardTimeoutMs: settings.requestTimeoutMs,
    now,
    gatewayId,
    headers,
    holdsOwnKey: keys.foundIn,
    memory,
  });
  const compute = computeFor(settings, log);
  const isolation = isolationFor(settings);
  const parts: PartHealth = new Map([
    ["memory_budget", () => memory.health()],
    ["checks", () => compute.health()],
    ["event_loop", () => eventLoopHealth(now())],
  ]);
  return {
    log,
    vault,
    egress,
    gatewayId,
    headers,
    ownKeys: keys,
    now,
    parts,
    compute,
    isolation,
    memory,
    life: { isStopping: false },
    build: async (number, carried, generations) => {
      const profile = await readProfile(settings.profile, settings.env); // read again each time: it may have changed
      const processes = { compute, isolation };
      return boot({ number, settings, profile, registry, vault, egress, log, now, carried, parts, ...processes, keepsTables, generations });
    },
  };
}

/** It hides the secrets of the environment and of the settings from the start. */
function logFor(settings: Settings, headers: HeaderClasses, now: () => number): ProcessLog {
  const worker = workerIndex();
  const write = (line: string) => void process.stderr.write(`${line}\n`);
  const log = createLog({ level: settings.logLevel, now, headers, write, ...(worker !== null && { of: { worker } }) });
  hideEnvironment(settings.env, log.hide);
  for (const secret of secretsOf(settings)) log.hide(secret);
  return log;
}

const computeFor = ({ checkProcesses, checkDeadlineMs, checkMemoryMb }: Settings, { log }: ProcessLog): ComputePool =>
  new ComputePool({ processes: checkProcesses, deadlineMs: checkDeadlineMs, memoryBytes: checkMemoryMb * MB, log });

export const isolationFor = ({ isolatedProcesses, checkDeadlineMs, checkMemoryMb }: Settings): Isolation =>
  new Isolation({ processes: isolatedProcesses, busyMs: checkDeadlineMs, memoryBytes: checkMemoryMb * MB });

const secretsOf = (settings: Settings): string[] =>
  Object.values<SettingRow>(SETTINGS)
    .filter((row) => row.secret)
    .flatMap((row) => settings.env[row.env] ?? []);

const MB = 1024 * 1024;

/** What a generation's routes need to know of the process. */
export const httpSettings = (settings: Settings, { log, now, gatewayId, headers, ownKeys, memory, life }: Runtime): HttpSettings => ({
  maxJsonBytes: settings.maxBodyMb * MB,
  maxDepth: MAX_DEPTH,
  headers,
  ownKeys,
  now,
  log: log.log,
  redact: log.redactValue,
  isLoop: (given) => isLoop(given, gatewayId),
  cors: {
    origins: settings.corsOrigins,
    methods: settings.corsMethods,
    headers: settings.corsHeaders,
    exposed: settings.corsExposed,
  },
  isStopping: () => life.isStopping,
  worker: workerIndex(),
  memory,
  stalledMs: settings.requestTimeoutMs,
});
