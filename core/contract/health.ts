import type { Json } from "./json.ts";

/** How a part of the gateway is doing. Told when somebody looks (`/readyz`, `/status`), never on a request's path. */
export interface Health {
  /** What does not work as it should just now, as sentences: what, why, what an operator can do. Empty when all is well. */
  readonly degraded: readonly string[];
  /** What it was never given (a vendor's key, say), as sentences: nothing is wrong until somebody uses what needs it. */
  readonly lacking?: readonly string[];
  /** Counts and states for the detailed status, by snake_case name. Nothing secret. */
  readonly detail?: Json;
}
