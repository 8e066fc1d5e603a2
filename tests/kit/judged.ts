import type { Call, Check, CheckResult, Json } from "#contract";
import { nothingSpent } from "../../core/compute/allowance.ts";
import { guardInput, guardOutput } from "../../core/pipeline/guard/guard.ts";
import { callOf } from "./call.ts";
import { active, depsWith } from "./guardrail.ts";

/** What comes of one check, as the inline guardrail of a request that denies. */
export interface JudgedByOne {
  readonly denied: boolean;
  readonly failed: boolean;
  readonly check: CheckResult;
  readonly body: Json;
  readonly call: Call;
}
export interface Judging extends NonNullable<Parameters<typeof callOf>[1]> {
  readonly parameters?: Json;
  readonly now?: number;
  readonly provider?: string;
  readonly metadata?: Readonly<Record<string, string>>;
}

/** A check judges a request. */
export async function judgedRequest(check: Check, asked: Json, { parameters = {}, now, ...more }: Judging = {}): Promise<JudgedByOne> {
  const { view, call, deps, list } = setUp(check, asked, { parameters, ...(now !== undefined && { now }), ...more });
  const { denied, failed, results, call: after } = await guardInput(list, call, view, deps);
  return { denied, failed, check: only(results[0]?.checks), body: after.body.kind === "json" ? after.body.value : {}, call: after };
}
/** A check judges an answer. */
export async function judgedAnswer(check: Check, answer: Json, judging: Judging = {}): Promise<JudgedByOne> {
  const { view, call, deps, list } = setUp(check, { model: "m", messages: [{ role: "user", content: "hi" }] }, judging);
  const { denied, failed, results, body } = await guardOutput(list, answer, { call, status: 200, view }, deps);
  return { denied, failed, check: only(results[0]?.checks), body, call };
}

function setUp(check: Check, asked: Json, { parameters = {}, now, provider = "kit", metadata = {}, ...more }: Judging) {
  const deps = depsWith([check], now === undefined ? {} : { now: () => now });
  const view = {
    provider,
    model: "kit-model",
    metadata,
    spending: nothingSpent(),
    tenant: "w",
    tenantIds: { organisationId: "o", workspaceId: "w" },
  };
  return { view, call: callOf(asked, more), deps, list: active([{ [check.id]: parameters, deny: true }], deps) };
}
function only(checks: readonly CheckResult[] | undefined): CheckResult {
  const [check] = checks ?? [];
  if (check === undefined) throw new Error("the check did not run");
  return check;
}
