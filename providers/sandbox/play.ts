import { nextTurn } from "#contract";
import type { Scenario } from "./scenario.ts";
import { DONE, frame } from "./wire.ts";

const encoder = new TextEncoder();

/** Plays frames as a scenario says: late, cut, broken, or to the end. Stops at once when the reader leaves or the signal fires. */
export function play(frames: Iterator<string>, scenario: Scenario, signal: AbortSignal): ReadableStream<Uint8Array> {
  let sent = 0;
  const leave = new AbortController();
  const either = AbortSignal.any([signal, leave.signal]);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        try {
          if (sent > 0) await pause(scenario.chunk_latency_ms ?? 0, either);
          if (sent % PER_TURN === PER_TURN - 1) await nextTurn();
          const next = step(frames, scenario, sent++);
          if (next.wire !== undefined) controller.enqueue(encoder.encode(next.wire));
          if (next.last) controller.close();
        } catch (thrown) {
          if (!leave.signal.aborted) controller.error(thrown);
        }
      },
      cancel: () => leave.abort(),
    },
    { highWaterMark: 0 },
  );
}

/** A network would give other requests their turn between two reads; there is none here. */
const PER_TURN = 32;

interface PlayedFrame {
  readonly wire?: string;
  readonly last: boolean;
}

function step(frames: Iterator<string>, scenario: Scenario, sent: number): PlayedFrame {
  if (scenario.empty || sent === scenario.cut_after) return { last: true };
  if (sent === scenario.reset_after) throw new Error("connection reset by the sandbox");
  if (sent === scenario.error_after)
    return {
      wire: frame({ error: { message: "The sandbox was asked to fail here.", type: "server_error", param: null, code: null } }),
      last: true,
    };
  const next = frames.next();
  return next.done ? { wire: DONE, last: true } : { wire: next.value, last: false };
}

/** Waits, unless the signal fires first; then it throws the signal's reason. */
export async function pause(ms: number, signal: AbortSignal): Promise<void> {
  signal.throwIfAborted();
  if (ms === 0) return;
  await new Promise<void>((resolve, reject) => {
    const abort = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", abort);
      resolve();
    }, ms);
    signal.addEventListener("abort", abort, { once: true });
  });
}
