/** Counts requests in and out of a generation, and tells when the last has left. */
export interface InFlight {
  enter(): () => void;
  readonly count: number;
  /** Resolves with `true` once none is left, with `false` when the time is over. */
  idle(limitMs: number): Promise<boolean>;
}

export function countInFlight(): InFlight {
  let count = 0;
  const waiting = new Set<() => void>();
  const leave = (): void => {
    count -= 1;
    if (count === 0) for (const tell of waiting) tell();
  };
  return {
    enter() {
      count += 1;
      let inside = true;
      return () => {
        if (inside) leave();
        inside = false;
      };
    },
    get count() {
      return count;
    },
    idle(limitMs) {
      if (count === 0) return Promise.resolve(true);
      return new Promise((resolve) => {
        const done = (empty: boolean): void => {
          clearTimeout(timer);
          waiting.delete(empties);
          resolve(empty);
        };
        const empties = () => done(true);
        const timer = setTimeout(() => done(false), limitMs);
        waiting.add(empties);
      });
    },
  };
}
