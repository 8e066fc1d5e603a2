import { ERRORS, type Leaf, type MaybePromise } from "#contract";
import { discarded, pauseAfter, type Sender, waited } from "../call/attempt.ts";
import { leaveBehind } from "../call/left-behind.ts";
import type { Reply } from "../call/reply.ts";
import type { Tries } from "../call/retry.ts";
import type { Try } from "../call/try.ts";
import { FAILED_NOT_DENIED } from "./output.ts";

const DENIED = ERRORS.HOOKS_FAILED.status;

/** Does the target list what its output guardrails may make of an answer? */
export const mayBeAskedAgain = ({ outputGuardrails, retry }: Leaf): boolean =>
  outputGuardrails.length > 0 && (retry.onStatusCodes.includes(DENIED) || retry.onStatusCodes.includes(FAILED_NOT_DENIED));

interface Asking {
  readonly it: Try;
  /** Those of the target: a provider's own failures and denied answers are counted together. */
  readonly tries: Tries;
  /** What the request held of the memory budget before it was sent. */
  readonly heldBefore: number;
  readonly by: Sender;
  /** Sends it once more and judges what comes. */
  ask(): Promise<Reply>;
}

/** An answer that output guardrails deny, or fail, is asked for again as long as the target's retry setting lets it. */
export async function askedUntilItPasses(first: MaybePromise<Reply>, { it, tries, heldBefore, by, ask }: Asking): Promise<Reply> {
  const pauseOf = (answer: Reply): number | null => (isOfOutput(answer, it) ? pauseAfter(answer, it, tries, by) : null);
  let reply = await first;
  const once = reply;
  let { upstreamMs } = reply;
  let held = heldBefore;
  for (let pause = pauseOf(reply); pause !== null; pause = pauseOf(reply)) {
    held = leaveBehind(reply, it.request, held);
    await discarded(reply.content);
    it.request.held.backTo(held);
    await waited(pause, it);
    reply = await ask();
    upstreamMs += reply.upstreamMs;
  }
  return reply === once ? reply : { ...reply, upstreamMs, retries: tries.used, exhausted: tries.isExhausted(reply.status) };
}

/** What the input guardrails failed stays failed, whatever is answered. */
const isOfOutput = ({ status }: Reply, { guarded }: Try): boolean =>
  status === DENIED || (status === FAILED_NOT_DENIED && guarded?.failed !== true);
