import { GatewayError, type Json, type Kinds, type Manifest, messageOf, type Plugin, type Running, withDeadline } from "#contract";

/*
 * The life of a plugin, and who takes it on:
 *
 *   found            a manifest that could be accepted              discovery/external.ts
 *   off, or enabled  what profile, flag and environment say of it   discovery/deployment.ts
 *   spare            other storage serves what it would             records/stores.ts
 *   loaded           its code is here, its configuration judged     load.ts
 *   up               set up, its ids its own; then made ready       set-up.ts
 *   failed           at any of these steps                          all of them
 *
 * The end of a generation drains what is up, and closes what setup has returned, failed or not (set-up.ts).
 */

/** A plugin as it was found, before anything of it has run. */
export interface Found {
  readonly manifest: Manifest;
  /** `built-in`, or its folder. */
  readonly origin: string;
  /** Its manifest's path, for errors. */
  readonly file: string;
  /** Content hash of an external plugin. */
  readonly hash: string | null;
  readonly load?: () => Promise<unknown>;
  /** Its code, when it is no part of this program. */
  readonly module?: { readonly path: string; readonly version: string };
}

/** A plugin of the deployment: what was found, what profile and environment say of it, and how far it has come. */
export interface DeployedPlugin extends Found {
  /** `kind/id` */
  readonly name: string;
  readonly required: boolean;
  /** Where its checks run: `process` is in processes of their own. */
  readonly isolate: "none" | "process";
  /** The profile names it, under `plugins` or `order`. */
  readonly named: boolean;
  /** Configuration from the profile and the mapped environment, not yet judged. */
  readonly given: Json;
  /** Members of `given` that the environment sets -> its variable. */
  readonly settings: Readonly<Record<string, string>>;
  /** One writer: the boot. */
  stage: Stage;
}
export type Stage =
  /** The profile or a flag does without it. */
  | { readonly at: "off"; readonly why: string }
  | { readonly at: "enabled" }
  /** Enabled, but nothing is left for it to do. */
  | { readonly at: "spare"; readonly why: string }
  | { readonly at: "loaded"; readonly plugin: Plugin; readonly config: Json }
  /** `ids`: what no other plugin may provide. */
  | { readonly at: "up"; readonly instance: Instance; readonly ids: readonly string[] }
  /** `instance`: what it returned before it failed. */
  | { readonly at: "failed"; readonly error: GatewayError; readonly instance?: Instance | undefined };

/** What a plugin's setup returned. */
export interface Instance {
  readonly running: Running<Kinds[keyof Kinds]>;
  /** Under which the next generation finds it, when nothing about its plugin has changed. */
  readonly key: string;
  /** How many generations use it: storage may outlive the one that set it up. */
  users: number;
}
/** Storage of the generation before, by its key. */
export type Carried = ReadonlyMap<string, Instance>;

type Up = DeployedPlugin & { readonly stage: Extract<Stage, { at: "up" }> };
export const isUp = (plugin: DeployedPlugin): plugin is Up => plugin.stage.at === "up";
export const isEnabled = ({ stage }: DeployedPlugin): boolean => stage.at !== "off";

export const instanceOf = ({ stage }: DeployedPlugin): Instance | undefined => ("instance" in stage ? stage.instance : undefined);

/** What it returned is kept, to be closed. */
export const fail = (plugin: DeployedPlugin, error: GatewayError, instance = instanceOf(plugin)): void => {
  plugin.stage = { at: "failed", error, instance };
};

/* ── one step of it ──────────────────────────────────────────────────────────────────────────────────────────── */

/** How long each step of a plugin's life may take, in milliseconds. */
export interface StepLimits {
  readonly load: number;
  readonly setup: number;
  readonly migrate: number;
  readonly ready: number;
  readonly drain: number;
  readonly close: number;
}
export const STEP_LIMITS: StepLimits = { load: 10_000, setup: 10_000, migrate: 600_000, ready: 10_000, drain: 30_000, close: 5_000 };

/** Runs one step of foreign code: a synchronous throw, a rejection and silence all become a rejection in time. */
export const runStep = <T>(limitMs: number, step: () => T | Promise<T>): Promise<T> =>
  withDeadline((async () => await step())(), limitMs, tooSlow);
const tooSlow = (limitMs: number): Error => new Error(`it did not finish within ${limitMs} ms`);

/** The same for what has to be closed: when it comes after its time, nobody is left who would. */
export async function closedIfLate<T>(limitMs: number, step: () => Promise<T>, close: (late: T) => unknown): Promise<T> {
  let isLate = false;
  const started = step();
  started
    .then((made) => {
      if (isLate) void close(made);
    })
    .catch(() => undefined); // the failure itself is reported below
  try {
    return await runStep(limitMs, () => started);
  } catch (thrown) {
    isLate = true;
    throw thrown;
  }
}

type StepCode = "PLUGIN_SETUP" | "PLUGIN_READY" | "PLUGIN_DRAIN";

/** Whatever a plugin threw, as an error that names it. Errors the gateway words itself stay as they are. */
export function stepError(code: StepCode, at: { name: string; file: string }, step: string, thrown: unknown): GatewayError {
  if (GatewayError.is(thrown) && /^(PLUGIN|MIGRATION|SETTING)_|^STORAGE_UNUSABLE$/.test(thrown.code)) return thrown;
  return new GatewayError(code, { plugin: at.name, file: at.file, step, why: whyOf(thrown) }, { cause: thrown });
}

/** What the gateway itself finds wrong with a plugin's code. */
export const setupError = ({ name, file }: DeployedPlugin, step: "import" | "setup", why: string): GatewayError =>
  new GatewayError("PLUGIN_SETUP", { plugin: name, file, step, why });

/** The message of anything thrown, even of a thing that cannot be turned into text. */
function whyOf(thrown: unknown): string {
  try {
    return messageOf(thrown);
  } catch {
    return "it threw something that is no error";
  }
}
