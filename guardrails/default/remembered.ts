/** Keeps the results of the last `limit` different keys: inline guardrails bring their patterns and schemas anew with each request. */
export function remembered<T>(limit: number, make: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const found = known.get(key);
    if (found !== undefined && known.size < limit) return found; // there is room: who goes first is not asked yet
    const value = found ?? make(key);
    known.delete(key);
    known.set(key, value);
    if (known.size > limit) forgetOldest(known);
    return value;
  };
}

function forgetOldest(known: Map<string, unknown>): void {
  for (const oldest of known.keys()) return void known.delete(oldest);
}
