import {
  after,
  type Call,
  type Caller,
  ERRORS,
  GatewayError,
  type GuardrailResult,
  isJson,
  type Json,
  type Plan,
  tenantOf,
  type WireError,
  type MaybePromise,
} from "#contract";
import { type Spending, spentOnPart } from "../../compute/allowance.ts";
import { jsonObject, longJsonObject } from "../../json/bounded.ts";
import { isLong, shortJson, upstreamJson } from "../../json/long-json.ts";
import type { Guarded } from "../call/guardrail-report.ts";
import { deniedBy, type GuardDeps, guardInput, guardOutput, type GuardView } from "../guard/guard.ts";
import type { ActiveGuardrail } from "../plan/guardrails/active.ts";
import { howOn } from "../guard/stream-mode.ts";
import { Subject } from "../guard/subject.ts";
import { judgeNamed } from "../plan/asked-models.ts";
import { restricts } from "../plan/model-rules.ts";
import type { Resolved } from "../plan/targets.ts";

/** Whose session is judged, by what. */
export interface JudgeParts {
  readonly call: Call;
  readonly caller: Caller;
  readonly plan: Plan;
  readonly to: Resolved;
  readonly input: readonly ActiveGuardrail[];
  readonly output: readonly ActiveGuardrail[];
  readonly deps: GuardDeps;
  /** What the checks of the whole session have taken. */
  readonly spending: Spending;
}

/** A message is a body of its own: its members, and those of lists in it, are few. */
const LIMITS = { maxDepth: 128, maxValues: 100_000 };
/** A longer text is judged and parsed in turns with what others do. */
const LONG = 256 * 1024;
/** Results of one side that are told of a session. */
const MAX_RESULTS = 200;

/** The guardrails of a session: each message that has content is judged like a body of its own. */
export class SessionJudge {
  readonly results: Record<"input" | "output", GuardrailResult[]> = { input: [], output: [] };
  /** What runs beside the session. */
  private readonly late = new Set<Promise<void>>();
  readonly left = new AbortController();
  /** An answer may not go before all of it has been judged. */
  readonly holds: boolean;
  private readonly call: Call;

  constructor(private readonly parts: JudgeParts) {
    const { call, output, deps } = parts;
    const content = call.row.messages?.content ?? {};
    this.call = { ...call, row: { ...call.row, content }, signal: this.left.signal };
    const subject = new Subject(
      "output",
      {},
      { call: this.call, headers: deps.headers, keyHeaders: deps.keyHeaders, view: this.view(), status: 200 },
    );
    this.holds = output.some((guardrail) => howOn(guardrail, subject) !== "end");
  }
  get readsInput(): boolean {
    return this.parts.input.length > 0;
  }
  /** Not every model may be asked, and messages may name others. */
  get readsModels(): boolean {
    const { kept } = this.parts.to;
    return kept?.models ? restricts(kept.models) : false;
  }
  /** Throws MODEL_FORBIDDEN for a message that names a model which may not be asked. */
  models(message: Json): void {
    const { kept, slug, id } = this.parts.to;
    if (kept?.models) judgeNamed(message, kept.models, slug ?? id);
  }
  get readsOutput(): boolean {
    return this.parts.output.length > 0;
  }

  /** A client's message, parsed within limits. Throws what is wrong with it. */
  parsed(text: string): MaybePromise<Json> {
    return text.length < LONG ? jsonObject(text, LIMITS) : longJsonObject(new TextEncoder().encode(text), LIMITS);
  }
  /** A client's message as guardrails leave it; throws HOOKS_FAILED where they deny it. */
  async input(message: Json): Promise<Json> {
    const call: Call = { ...this.call, body: { kind: "json", text: null, value: message } };
    const judged = await guardInput(this.parts.input, call, this.view(), this.parts.deps);
    this.keep("input", judged);
    if (judged.denied) throw new Denied(judged);
    return judged.call.body.kind === "json" ? judged.call.body.value : message;
  }
  /** The same of what a provider says. */
  async output(message: Json): Promise<Json> {
    const judged = await guardOutput(this.parts.output, message, { call: this.call, status: 200, view: this.view() }, this.parts.deps);
    this.keep("output", judged);
    if (judged.denied) throw new Denied(judged);
    return judged.body;
  }
  hasOutput(message: Json): boolean {
    return (this.call.row.content.output?.(message).length ?? 0) > 0;
  }
  /** Of all guardrails, those too that ran beside the session. */
  async all(): Promise<void> {
    await Promise.all(this.late);
  }

  private keep(side: "input" | "output", { results, pending }: Guarded): void {
    this.add(side, results);
    if (pending === null) return;
    const added: Promise<void> = pending.then((late) => this.add(side, late)).finally(() => this.late.delete(added));
    this.late.add(added);
  }
  private add(side: "input" | "output", results: readonly GuardrailResult[]): void {
    this.results[side].push(...results.slice(0, MAX_RESULTS - this.results[side].length));
  }
  private view(): GuardView {
    const { to, plan, caller, spending } = this.parts;
    const tenants = { tenant: tenantOf(caller), tenantIds: caller, caller };
    return { provider: to.id, model: to.target.model || null, metadata: plan.metadata, spending: spentOnPart(spending), ...tenants };
  }
}

/** A guardrail said no to a message. */
export class Denied extends Error {
  readonly wire: WireError;
  readonly hooks: readonly GuardrailResult[];
  constructor({ results }: Pick<Guarded, "results">) {
    const { message } = new GatewayError("HOOKS_FAILED", { failed: deniedBy(results) });
    super(message);
    this.wire = { message, type: ERRORS.HOOKS_FAILED.type, param: null, code: null };
    this.hooks = results;
  }
}

/** A provider's message, `undefined` for one that is no JSON object, or would keep others waiting. */
export function providerJson(text: string): MaybePromise<Json | undefined> {
  const value = isLong(text) ? upstreamJson(text).catch(() => undefined) : shortJson(text);
  return after(value, (read) => (isJson(read) ? read : undefined));
}
