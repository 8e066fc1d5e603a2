import { GatewayError, isPromise, withDeadline } from "#contract";
import { closed, opened } from "./watchdog/marks.ts";

/** How long a plugin may take to answer on a request's way, in milliseconds. Calls to providers have deadlines of their own. */
export interface PluginLimits {
  readonly identify: number;
  readonly admit: number;
  readonly local: number;
  readonly strategy: number;
  readonly route: number;
}
export const PLUGIN_LIMITS: PluginLimits = { identify: 30_000, admit: 30_000, local: 30_000, strategy: 30_000, route: 30_000 };

/** Until it comes to something, the work counts as an open call of the plugin that `mark` stands for, beyond its deadline too. */
export function inTime<T>(work: Promise<T>, ms: number, late: (ms: number) => GatewayError, mark = 0): Promise<T> {
  opened(mark);
  const ended = (): void => closed(mark);
  work.then(ended, ended);
  return withDeadline(work, ms, late);
}

/**
 * A plugin's answer, waited for no longer than its limit. What is there already costs nothing; anything with a `then` is
 * waited for. Errors call it `plugin`, the watchdog counts it under `mark`.
 */
export const pluginAnswer = <T>(answer: T | Promise<T>, ms: number, plugin: string | (() => string), mark: number): T | Promise<T> =>
  isPromise(answer)
    ? inTime(Promise.resolve(answer), ms, () => timedOut(typeof plugin === "string" ? plugin : plugin(), ms), mark)
    : answer;

const timedOut = (plugin: string, ms: number): GatewayError => new GatewayError("PLUGIN_TIMEOUT", { plugin, seconds: ms / 1000 });
