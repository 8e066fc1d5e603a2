import type { ActiveGuardrail } from "../plan/guardrails/active.ts";

/** The guardrails as they act on one trace: those that are only watched on it run beside it. */
export const actingOn = (list: readonly ActiveGuardrail[], traceId: string): readonly ActiveGuardrail[] =>
  list.every(isWhole)
    ? list
    : list.map((guardrail) => (isWhole(guardrail) || isChosen(guardrail, traceId) ? guardrail : watched(guardrail)));

const isWhole = ({ rollout }: ActiveGuardrail): boolean => rollout >= 100;
const isChosen = ({ id, rollout }: ActiveGuardrail, traceId: string): boolean => shareOf(`${id} ${traceId}`) < rollout;

/** What runs beside a request changes nothing of it. */
const watched = (guardrail: ActiveGuardrail): ActiveGuardrail => ({ ...guardrail, async: true, shadow: true });

/** A number from 0 up to 100, the same for the same text and evenly spread over texts (FNV-1a). */
function shareOf(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1) hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return ((hash >>> 0) / 2 ** 32) * 100;
}
