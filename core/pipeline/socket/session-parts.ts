import type { Call, Caller, Plan, SocketMessages, Usage } from "#contract";
import type { Held } from "../../kernel/process/memory-budget.ts";
import type { OpenSocket } from "../stream/content.ts";
import type { Ending } from "../stream/deliver.ts";
import type { SessionJudge } from "./judge.ts";

/** What a session is made of. */
export interface SessionParts {
  readonly call: Call;
  readonly caller: Caller;
  readonly plan: Plan;
  readonly held: Held;
  readonly messages: SocketMessages;
  readonly provider: string;
  readonly upstream: OpenSocket;
  readonly judge: SessionJudge;
  readonly keptBytes: number;
  readonly stalledMs: number;
  readonly now: () => number;
  /** Counts what was used so far; rejects where that ends the session. */
  spent(usage: Usage): Promise<void>;
  /** Is the caller still one who may? Throws, or rejects, when not. */
  identify(): unknown;
  /** `unfinished` is read when it is estimated: whatever comes of that, the session is over. */
  settle(ending: Ending, unfinished: (() => Unfinished) | null): void;
}
/** What was asked, and what was said, in a session whose provider never told what some of its answers used. */
export interface Unfinished {
  readonly asked: string;
  readonly said: { readonly text: string; readonly times: number };
}
