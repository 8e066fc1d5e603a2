import type { HeaderClasses, Logger, RequestHeaders } from "#contract";
import type { MemoryBudget } from "../kernel/process/memory-budget.ts";
import type { OwnKeys } from "../kernel/secrets/own-keys.ts";
import type { PluginLimits } from "../kernel/process/plugin-answer.ts";
import type { Spools } from "../pipeline/settle/spool/spools.ts";
import type { BodyLimits } from "./body.ts";
import type { CorsRules } from "./cors.ts";

/** What the HTTP layer is given beside a generation. */
export interface HttpSettings extends BodyLimits {
  /** What a header's name says of it, in this deployment. */
  readonly headers: HeaderClasses;
  /** Keys of the gateway, which never leave it. */
  readonly ownKeys: OwnKeys;
  readonly now: () => number;
  readonly log: Logger;
  readonly redact: (value: unknown) => unknown;
  /** Has a request with these headers passed through this gateway before? */
  readonly isLoop: (headers: RequestHeaders) => boolean;
  /** What pages of other origins may do; nothing unless given. */
  readonly cors?: CorsRules;
  /** The process was asked to end. */
  readonly isStopping?: () => boolean;
  /** Which of several workers this process is; `null` when it is the only one. */
  readonly worker?: number | null;
  /** Where records wait on disk while their store is away. */
  readonly spools?: Spools | undefined;
  /** What requests may hold in memory, together; the usual one unless given. */
  readonly memory?: MemoryBudget;
  /** The longest a client may take nothing of its answer; STALLED_MS unless given. */
  readonly stalledMs?: number;
  /** PLUGIN_LIMITS unless a test says so. */
  readonly pluginLimits?: PluginLimits;
}
