import { type Call, GatewayError, type Leaf, type MountedOperation, PASSING, type Side } from "#contract";
import { actingOn } from "./rollout.ts";
import type { RoutedRequest } from "../call/try.ts";
import type { ActiveGuardrail, BoundCheck } from "../plan/guardrails/active.ts";

/* What passes to a provider as it came, and is none of the bodies that a mounted operation reads, no check can look into. */

/** Throws GUARDRAIL_UNREAD where a guardrail denies, or may change what it reads, and a check of it could not run on the request, or on its answer. */
export async function refuseUnread(leaf: Leaf, { call, prepared }: RoutedRequest): Promise<void> {
  if (leaf.inputGuardrails.length > 0 && isUnreadBody(call))
    refuse(actingOn(await prepared.guardrails(leaf.inputGuardrails), call.traceId), call, "input");
  if (leaf.outputGuardrails.length > 0 && isUnreadAnswer(call))
    refuse(actingOn(await prepared.guardrails(leaf.outputGuardrails), call.traceId), call, "output");
}

const isOperations = ({ id }: MountedOperation): boolean => id !== PASSING;
const isUnfit = ({ body }: Call): boolean => body.kind === "json" && body.unfit === true;
const isUnreadBody = (call: Call): boolean => isUnfit(call) || (!isOperations(call.row) && call.body.kind !== "none");
const isUnreadAnswer = (call: Call): boolean => isUnfit(call) || !isOperations(call.row);

function refuse(list: readonly ActiveGuardrail[], call: Call, side: Side): void {
  for (const { id, deny, async: beside, checks } of list) {
    if (beside) continue;
    const blind = checks.find((check) => (deny || mayChange(check)) && isBlind(check, side));
    if (blind === undefined) continue;
    const what = side === "input" ? "the body" : "the answer";
    throw new GatewayError("GUARDRAIL_UNREAD", {
      guardrail: id,
      does: deny ? "denies" : "may change what it reads",
      check: blind.id,
      what,
      operation: `${call.method} ${call.path.slice(0, 200)}`,
    });
  }
}
const mayChange = ({ loaded }: BoundCheck): boolean => loaded?.check.transforms === true;
/** Of a request, a check that says nothing may look at the model in the body, where the path names another. */
function isBlind({ loaded, wants, params }: BoundCheck, side: Side): boolean {
  if (loaded === null) return false; // it is an error of its own
  const { operations } = loaded.check;
  if (side === "input") return loaded.check.judgesPassing?.(params as never) !== true; // its own schema accepted them when the guardrail was bound
  return wants.size > 0 || (operations !== undefined && !operations.includes(PASSING));
}
