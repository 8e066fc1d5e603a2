import type { Json } from "./json.ts";
import type { OperationName } from "./operation.ts";
import type { Caller, TenantIds } from "./request.ts";

/**
 * For whom a check asks: the request that it judges. Checks are given theirs (`CheckInput.asker`) and hand it on; of the
 * request they see whose it is, and no more.
 */
export type Asker = TenantIds;

/** A request that a plugin makes of the gateway itself. */
export interface InnerAsk {
  readonly operation: OperationName;
  /** JSON, as a client of the operation sends it; answers are whole, so it asks for no stream. */
  readonly body: Json;
  /** Provider id or `@slug`, where neither the model says it (`@slug/model`) nor a config. */
  readonly provider?: string | undefined;
  /** Slug or id of a saved config. Within a request the default config of its key does not count. */
  readonly config?: string | undefined;
  /** Who asks, as the log shows it: a check's id. */
  readonly by: string;
  /** Ends the call, and what it asked of a provider. */
  readonly signal: AbortSignal;
  /** Told once it has ended: US cents, or `null` where no price is known. */
  readonly spent?: (costCents: number | null) => void;
}

/**
 * Asks for a model's answer as any client does: the limits of the caller's key count it, its workspace's providers and models
 * are all there are, guardrails judge it, and it is a record of its own in the log. A caller needs the operation's scope.
 *
 * A check hands on its `input.asker`: the call is then asked for whoever made the request that the check judges, stands in its
 * trace and has its metadata. It needs no scope, since who wrote the guardrail decided that it is asked. What a check asks, no
 * check asks again: guardrails judge it without the checks that would themselves ask (`Check.dispatches`), and one that asks
 * all the same is refused (INNER_NESTED). Its bodies are in no log: they may hold what another guardrail took out of the request.
 *
 * The answer is whole, 4 MB at most, and may be an error's: its status tells. Throws INNER_BUSY where too many are under way.
 */
export type Dispatch = (ask: InnerAsk, as: Caller | Asker) => Promise<Response>;

/** What a call of the gateway's own says of who asked it. */
export interface InnerOrigin {
  /** Who asked, by its own word. */
  readonly by: string;
  /** The request that it was asked within; `null` where that has no record. */
  readonly requestId: string | null;
}

/** What was asked within a request, beside its own answer: each has a record of its own, where its tokens and costs are counted. */
export interface InnerCalls {
  readonly calls: number;
  /** US cents; `null` where no price is known for any of them. */
  readonly costCents: number | null;
}
