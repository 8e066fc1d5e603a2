/** Keeps the results of the last `limit` different keys: inline guardrails bring their patterns and schemas anew with each request. */
export function remembered<T>(limit: number, make: (key: string) => T): (key: string) => T {
  const known = new Map<string, T>();
  return (key) => {
    const found = known.get(key) ?? make(key);
    known.delete(key);
    known.set(key, found);
    for (const oldest of known.keys()) {
      if (known.size <= limit) break;
      known.delete(oldest);
    }
    return found;
  };
}
