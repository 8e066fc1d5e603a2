import { GatewayError } from "#contract";

/** What became of one call: how long it took, and the code of its error (`OTHER` for one that is not ours). */
export interface Outcome {
  readonly endedAt: number;
  readonly tookMs: number;
  readonly error: string | null;
}

/** Calls without pause, several at a time, until stopped; answers what became of every call. */
export function load(atATime: number, call: () => Promise<unknown>): { readonly outcomes: readonly Outcome[]; stop(): Promise<void> } {
  const outcomes: Outcome[] = [];
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
      await new Promise((resolve) => setTimeout(resolve, 2)); // a refused call is instant: leave the loop room
    }
  };
  const workers = Promise.all(Array.from({ length: atATime }, worker));
  return {
    outcomes,
    stop: async () => {
      going = false;
      await workers;
    },
  };
}
