import { GatewayError, messageOf, withDeadline } from "#contract";

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

type StepCode = "PLUGIN_SETUP" | "PLUGIN_READY" | "PLUGIN_DRAIN";

/** Whatever a plugin threw, as an error that names it. Errors the gateway words itself stay as they are. */
export function stepError(code: StepCode, at: { name: string; file: string }, step: string, thrown: unknown): GatewayError {
  if (GatewayError.is(thrown) && /^(PLUGIN|MIGRATION|SETTING)_|^STORAGE_UNUSABLE$/.test(thrown.code)) return thrown;
  return new GatewayError(code, { plugin: at.name, file: at.file, step, why: said(thrown) }, { cause: thrown });
}

/** The message of anything thrown, even of a thing that cannot be turned into text. */
function said(thrown: unknown): string {
  try {
    return messageOf(thrown);
  } catch {
    return "it threw something that is no error";
  }
}
