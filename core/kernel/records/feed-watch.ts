import type { Feed, Health, Logger } from "#contract";
import { runStep } from "../life.ts";

/** Knows whether changes that other processes make are heard of. */
export interface FeedWatch {
  readonly heard: boolean;
  health(): Health;
  close(): void;
}
export interface FeedWatchParts {
  readonly feed: Feed;
  readonly log: Logger;
  /** Nothing was heard since then, by the monotonic clock. */
  onSilence(since: number): void;
}
/**
 * Time is counted in turns of the event loop, so that neither a loop that stood still nor a clock that was set counts as
 * the feed's silence: what arrived meanwhile is heard before the next turn.
 */
const TURN_MS = 250;
const ASK_AFTER_TURNS = 4;
const SILENT_AFTER_TURNS = 8;
/** A later one is no sign of how things are. */
const ANSWER_MS = 2_000;

/** Asks for a sign of life every second; without one for two, the feed is silent. */
export function watchFeed({ feed, log, onSilence }: FeedWatchParts): FeedWatch {
  const state = { heard: true, heardAt: performance.now(), turns: 0 };
  const hear = (): void => {
    if (!state.heard) log("info", "feed.heard", { silentMs: silentMs() });
    Object.assign(state, { heard: true, heardAt: performance.now(), turns: 0 });
  };
  const silentMs = (): number => Math.round(performance.now() - state.heardAt);
  const turn = (): void => {
    state.turns += 1;
    if (state.turns % ASK_AFTER_TURNS === 0) void runStep(ANSWER_MS, () => feed.heartbeat()).then(hear, () => undefined); // no answer is silence
    if (state.turns !== SILENT_AFTER_TURNS) return;
    state.heard = false;
    log("warn", "feed.silent", { silentMs: silentMs() });
    onSilence(state.heardAt);
  };
  const timer = setInterval(turn, TURN_MS);
  timer.unref?.();
  return {
    get heard() {
      return state.heard;
    },
    health: () => ({
      degraded: state.heard ? [] : [sentence(Math.round(silentMs() / 1000))],
      detail: { silent_ms: state.heard ? 0 : silentMs() },
    }),
    close: () => clearInterval(timer),
  };
}

const sentence = (seconds: number): string =>
  `The feed has been silent for ${seconds} s: what other processes change is seen up to 5 s late. Look at the storage that provides the feed.`;
