/** Work that a plugin does by the clock and not for a request: retention, expiry, rotation. */
export interface Job {
  /** Unique within its plugin, e.g. `retention`. */
  readonly id: string;
  /** Milliseconds between the end of a run and the next one: a second at least, a week at most. The first comes shortly after the start. */
  readonly everyMs: number;
  /**
   * `each`: in every process. `one`: in one process of the deployment at a time, and once per interval for all of them. A
   * process that dies in the middle of a run is followed by another within half a minute, so a run may begin where one broke off.
   */
  readonly runs: "one" | "each";
  /**
   * One run. The signal fires when the plugin is about to be drained, and when the process can no longer be sure that it is
   * the only one: then stop soon. A throw is a failed run, tried again within a minute.
   */
  run(signal: AbortSignal): Promise<void>;
}

/** Bounds of `everyMs`. */
export const JOB_EVERY_MS = { least: 1_000, most: 7 * 86_400_000 } as const;
