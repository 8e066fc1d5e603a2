import {
  type Caller,
  type Dialect,
  type HeaderClasses,
  isPromise,
  type Logger,
  type OperationName,
  type Outcome,
  type Policy,
  type RequestHeaders,
} from "#contract";
import type { Sender } from "./call/attempt.ts";
import type { OwnKeys } from "../kernel/secrets/own-keys.ts";
import type { Generation, Provided } from "../kernel/generation.ts";
import { entering } from "../kernel/process/watchdog/marks.ts";
import type { GuardDeps } from "./guard/guard.ts";
import { dispatcher } from "./dispatch.ts";
import { type Authorize, authorizer, refusingArchived } from "./authorize.ts";
import { guardrailJudge } from "./judge-body.ts";
import { identifier } from "./identify.ts";
import type { Audit } from "../kernel/audit/audit.ts";
import type { MemoryBudget } from "../kernel/process/memory-budget.ts";
import { type CostOf, costing, pricesOf, pricing } from "./settle/cost.ts";
import { type EstimateUsage, estimating } from "./settle/estimate.ts";
import { ChangeQueue } from "./settle/change-queue.ts";
import { ExportQueue } from "./settle/export-queue.ts";
import { withoutLongBody } from "./settle/make-outcome.ts";
import { withoutOwnKeys } from "./settle/own-keys-hidden.ts";
import { type Ownership, ownership } from "./owned/ownership.ts";
import { type Prepare, preparer } from "./plan/prepare.ts";
import type { Spools } from "./settle/spool/spools.ts";
import type { Dialects } from "./plan/served.ts";
import { Sessions } from "./socket/sessions.ts";
import { type Resolver, resolver } from "./plan/targets.ts";
import { countRequest } from "./settle/counters.ts";

/** What the pipeline may use of a generation: a few verbs, made once, no service locator. */
export interface Gateway {
  readonly gen: Generation;
  identify(headers: RequestHeaders, apiKey: string | undefined): Caller | Promise<Caller>;
  /** What a known caller may do on plain routes: the roles of people bind there. */
  readonly authorize: Authorize;
  /** What is looked up for a request, mostly beforehand. */
  readonly prepare: Prepare;
  readonly resolve: Resolver;
  /** Whose the ids are that requests name and answers make. */
  readonly owned: Ownership;
  /** The client dialect of an operation that has one. */
  readonly dialects: Dialects;
  readonly costOf: CostOf;
  readonly estimate: EstimateUsage;
  /** Hands what happened to policies and exporters. */
  settled(outcome: Outcome): void;
  /** Every outcome handed over so far has been exported. */
  flush(): Promise<void>;
  /** The last flush, when the generation ends. */
  close(): Promise<void>;
  readonly queues: readonly ExportQueue[];
  readonly headers: HeaderClasses;
  readonly ownKeys: OwnKeys;
  readonly now: () => number;
  readonly log: Logger;
  readonly limits: PipelineLimits;
  /** Where refusals are told; absent where the audit log is off. */
  readonly audit?: Audit | undefined;
  readonly memory: MemoryBudget;
  /** WebSockets that are open. */
  readonly sessions: Sessions;
  /** The longest a client may take nothing of an answer that is held for it. */
  readonly stalledMs: number;
  /** What the guardrail engine works with. */
  readonly guards: GuardDeps;
  /** What calls to targets work with. */
  readonly sender: Sender;
}
export interface PipelineLimits {
  /** Bytes of a body that are kept for the log. */
  readonly loggedBytes: number;
}
export const PIPELINE_LIMITS: PipelineLimits = { loggedBytes: 262_144 };

export interface GatewayParts {
  readonly gen: Generation;
  /** What a header's name says of it, in this deployment. */
  readonly headers: HeaderClasses;
  /** Keys of the gateway, which never leave it. */
  readonly ownKeys: OwnKeys;
  readonly now: () => number;
  readonly log: Logger;
  /** Takes known secrets out of what is shown. */
  readonly redact: (value: unknown) => unknown;
  readonly memory: MemoryBudget;
  readonly stalledMs: number;
  readonly limits?: Partial<PipelineLimits>;
  /** Where records wait on disk; without it they wait in memory. */
  readonly spools?: Spools | undefined;
}

/** Of two for one operation, the first. */
function byOperation(dialects: Iterable<Dialect>): Dialects {
  const found = new Map<OperationName, Dialect>();
  for (const dialect of dialects)
    for (const operation of [dialect.operation, dialect.streamedBy])
      if (operation !== undefined && !found.has(operation)) found.set(operation, dialect);
  return found;
}

/** What a policy makes of an outcome is waited for by nobody, and its failure is its own. */
function settledBy({ name, provides, mark }: Provided<Policy>, outcome: Outcome, log: Logger): void {
  entering(mark);
  try {
    const done: unknown = provides.settle?.(outcome);
    if (isPromise(done)) heard(done, name, log);
  } catch (thrown) {
    log("error", "settle failed", { policy: name, why: thrown });
  }
}

const heard = (done: PromiseLike<unknown>, policy: string, log: Logger): void =>
  void done.then(undefined, (thrown: unknown) => log("error", "settle failed", { policy, why: thrown }));

/** Where records go when a request is over: counters, the exporters' queues, policies. */
type Settled = Pick<Gateway, "queues" | "settled" | "close" | "flush">;
function settling(gen: Generation, limits: PipelineLimits, { headers, ownKeys, now, log, spools }: GatewayParts): Settled {
  const queues = gen.exporters.map(
    ({ name, provides }) => new ExportQueue({ name, exporter: provides, log, now, spool: spools?.of(name) }),
  );
  const unheard = spools?.onBeat(() => queues.forEach((queue) => queue.wake()));
  const changes = gen.exporters.flatMap(({ name, provides }) =>
    provides.changes ? [new ChangeQueue({ name, take: (entries) => provides.changes?.(entries) ?? Promise.resolve(), log })] : [],
  );
  const unlistened = gen.stores.audit?.listen((entries) => changes.forEach((queue) => queue.add(entries)));
  const settlers = gen.policies.filter(({ provides }) => provides.settle);
  return {
    queues,
    settled(outcome) {
      countRequest(outcome);
      const waiting = queues.length === 0 ? outcome : withoutOwnKeys(withoutLongBody(outcome, limits.loggedBytes), { ownKeys, headers });
      for (const queue of queues) queue.add(waiting);
      for (const policy of settlers) settledBy(policy, outcome, log);
    },
    async close() {
      unheard?.();
      unlistened?.();
      await Promise.all([...queues, ...changes].map((queue) => queue.close()));
    },
    flush: async () => void (await Promise.all([...queues, ...changes].map((queue) => queue.flush()))),
  };
}

export function gatewayOf(parts: GatewayParts): Gateway {
  const { gen, headers, ownKeys, now, log, redact, memory, stalledMs } = parts;
  const { keyHeaders, compute, operations, egress, stores, vault } = gen;
  const limits = { ...PIPELINE_LIMITS, ...parts.limits };
  const dialects = byOperation(gen.dialects.values());
  const priceOf = pricing(gen.prices, log);
  const gateway: Gateway = {
    ...{ gen, headers, ownKeys, now, log, limits, memory, stalledMs, dialects, audit: stores.audit },
    ...settling(gen, limits, parts),
    sessions: new Sessions(),
    costOf: costing(priceOf),
    estimate: estimating(gen.tokenizers, log),
    guards: { headers, keyHeaders, now, redact, log, compute, operations },
    sender: { egress, headers, ownKeys, now },
    identify: identifier(gen.policies, now, { own: ownKeys, keyHeaders }),
    authorize: refusingArchived(authorizer(gen.policies, gen.scopes), stores.records),
    prepare: preparer(gen, { headers, ownKeys }),
    resolve: resolver(gen, dialects, now, { ownKeys, headers, keyHeaders }),
    owned: ownership({ records: stores.records, vault, now }),
  };
  gen.late.open({ guard: guardrailJudge(gateway), dispatch: dispatcher(gateway), prices: pricesOf(priceOf, gen.providers) });
  return gateway;
}
