/** Query parameters in which clients of the root paths may send a key, the key's own name first. */
const KEYS = ["key", "access_token"] as const;

/** A query without the key that was in it: a URL is logged, kept and passed on where a header is not. */
export interface KeylessQuery {
  readonly search: string;
  readonly key: string | undefined;
}

export function withoutKey(search: string, names: readonly string[] = KEYS): KeylessQuery {
  if (search === "") return NO_QUERY;
  const query = new URLSearchParams(search);
  const sent = names.map((name) => query.get(name) ?? "").find((key) => key !== "");
  for (const name of names) query.delete(name);
  const rest = query.toString();
  return { search: rest === "" ? "" : `?${rest}`, key: sent };
}
const NO_QUERY: KeylessQuery = Object.freeze({ search: "", key: undefined });
