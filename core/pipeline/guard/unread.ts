import { type Call, GatewayError, type Leaf, type MountedOperation, PASSING, type Side } from "#contract";
import type { RoutedRequest } from "../call/try.ts";
import { activeGuardrails } from "./guard.ts";
import type { ActiveGuardrail, BoundCheck, GuardDeps } from "./types.ts";

/* What passes to a provider as it came, and is none of the bodies that a mounted operation reads, no check can look into. */

/** Throws GUARDRAIL_UNREAD where a guardrail that may deny has a check that could not run on the request, or on its answer. */
export async function refuseUnread(leaf: Leaf, { call, caller }: RoutedRequest, deps: GuardDeps): Promise<void> {
  if (leaf.inputGuardrails.length > 0 && isUnreadBody(call))
    refuse(await activeGuardrails(leaf.inputGuardrails, caller, deps), call, "input");
  if (leaf.outputGuardrails.length > 0 && isUnreadAnswer(call))
    refuse(await activeGuardrails(leaf.outputGuardrails, caller, deps), call, "output");
}

const isOperations = ({ id }: MountedOperation): boolean => id !== PASSING;
const isUnfit = ({ body }: Call): boolean => body.kind === "json" && body.unfit === true;
const isUnreadBody = (call: Call): boolean => isUnfit(call) || (!isOperations(call.row) && call.body.kind !== "none");
const isUnreadAnswer = (call: Call): boolean => isUnfit(call) || !isOperations(call.row);

function refuse(list: readonly ActiveGuardrail[], call: Call, side: Side): void {
  for (const { id, deny, async: beside, checks } of list) {
    if (!deny || beside) continue;
    const blind = checks.find((check) => looksAtContent(check) && !judgesUnread(check, side));
    if (blind === undefined) continue;
    const what = side === "input" ? "the body" : "the answer";
    throw new GatewayError("GUARDRAIL_UNREAD", {
      guardrail: id,
      check: blind.id,
      what,
      operation: `${call.method} ${call.path.slice(0, 200)}`,
    });
  }
}
const looksAtContent = ({ loaded, wants }: BoundCheck): boolean =>
  loaded !== null && (wants.size > 0 || (loaded.check.operations !== undefined && !loaded.check.operations.includes(PASSING)));
const judgesUnread = ({ loaded, params }: BoundCheck, side: Side): boolean =>
  side === "input" && loaded?.check.judgesPassing?.(params as never) === true; // its own schema accepted them when the guardrail was bound
