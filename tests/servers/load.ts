import { GatewayError } from "#contract";

/** What became of one call: how long it took, and the code of its error (`OTHER` for one that is not ours). */
export interface Outcome {
  readonly endedAt: number;
  readonly tookMs: number;
  readonly error: string | null;
}

export interface Load {
  readonly outcomes: readonly Outcome[];
  /** How late this process's own timers came, at the latest: as much later may the end of a call be seen. */
  readonly lateMs: number;
  stop(): Promise<void>;
}
const PAUSE_MS = 2;

/** Calls without pause, several at a time, until stopped; answers what became of every call. */
export function load(atATime: number, call: () => Promise<unknown>): Load {
  const outcomes: Outcome[] = [];
  let lateMs = 0;
  let going = true;
  const worker = async (): Promise<void> => {
    while (going) {
      const startedAt = performance.now();
      const error = await call().then(
        () => null,
        (thrown: unknown) => (GatewayError.is(thrown) ? thrown.code : `OTHER: ${thrown}`),
      );
      const endedAt = performance.now();
      outcomes.push({ endedAt, tookMs: endedAt - startedAt, error });
      await new Promise((resolve) => setTimeout(resolve, PAUSE_MS)); // a refused call is instant: leave the loop room
      lateMs = Math.max(lateMs, performance.now() - endedAt - PAUSE_MS);
    }
  };
  const workers = Promise.all(Array.from({ length: atATime }, worker));
  return {
    outcomes,
    get lateMs() {
      return lateMs;
    },
    stop: async () => {
      going = false;
      await workers;
    },
  };
}
