/** What is made from keys that users write, kept for the last of them: by their weight together, not by their number. */
export interface Remembered<T> {
  get(key: string): T;
  /** What is there already. */
  peek(key: string): T | undefined;
}

/** `weigh` says what keeping a value costs; inline guardrails bring their patterns and schemas anew with each request. */
export function remembered<T>(limit: number, weigh: (key: string) => number, make: (key: string) => T): Remembered<T> {
  const known = new Map<string, T>();
  let weight = 0;
  const forget = (key: string): void => {
    if (known.delete(key)) weight -= weigh(key);
  };
  const keep = (key: string, value: T): void => {
    known.set(key, value);
    weight += weigh(key);
    for (const oldest of known.keys()) {
      if (weight <= limit || oldest === key) return;
      forget(oldest);
    }
  };
  return {
    peek: (key) => known.get(key),
    get(key) {
      const found = known.get(key);
      if (found !== undefined && weight < limit / 2) return found; // there is room: who goes first is not asked yet
      const value = found ?? make(key);
      forget(key);
      keep(key, value);
      return value;
    },
  };
}
