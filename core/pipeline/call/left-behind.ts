import type { Spent } from "../stream/spent.ts";
import type { Reply } from "./reply.ts";
import type { RoutedRequest } from "./try.ts";

/** An answer that a request goes on without, for another target or another try: it is paid for all the same. */
export interface LeftBehind extends Pick<Reply, "from" | "sent" | "model"> {
  /** Of its own: those of the answer that came at last are none of it. */
  readonly begun: readonly string[] | undefined;
  readonly denied: Spent;
}

/**
 * Called before the answer is let go of; what the request holds of the memory budget from then on. One that nobody was
 * asked for, or that failed, costs nothing; of one whose usage was reported the counts alone are kept.
 */
export function leaveBehind(reply: Reply, request: RoutedRequest, heldBefore: number): number {
  const { status, from, sent, model, begun } = reply;
  const isPaid = reply.denied !== undefined || (sent !== null && status < 300);
  const spent = isPaid ? spentOn(reply) : NOTHING;
  const isCounted = spent.usage !== null && spent.isComplete && request.call.row.content.ended === undefined;
  if (isPaid) (request.leftBehind ??= []).push({ from, sent, model, begun, denied: isCounted ? { ...spent, received: "" } : spent });
  return isCounted || spent.received === "" ? heldBefore : request.held.bytes;
}

function spentOn({ content, denied, spent, model }: Reply): Spent {
  if (denied) return denied;
  if (content.kind !== "whole") return spent?.() ?? NOTHING;
  return { usage: content.usage, model, isComplete: true, received: { body: content.body, text: content.text } };
}
const NOTHING: Spent = { usage: null, model: null, isComplete: true, received: "" };
