import type { Json } from "#contract";
import { Refusal } from "./refusal.ts";

/** One page of a list, the way OpenAI pages: `limit order after before`. Items come oldest first. */
export function page(items: readonly (Json & { readonly id?: unknown })[], search: string): Json {
  const query = new URLSearchParams(search);
  const ordered = wordIn(query, "order", ["asc", "desc"]) === "asc" ? items : items.toReversed();
  const place = (id: string | null): number => (id === null ? -1 : ordered.findIndex((item) => item.id === id));
  const before = place(query.get("before"));
  const rest = ordered.slice(place(query.get("after")) + 1, before < 0 ? undefined : before);
  const data = rest.slice(0, limitOf(query));
  return { object: "list", data, first_id: data.at(0)?.id ?? null, last_id: data.at(-1)?.id ?? null, has_more: data.length < rest.length };
}

/** A query parameter that is one of these words, or absent. */
export function wordIn(query: URLSearchParams, name: string, words: readonly string[]): string | null {
  const word = query.get(name);
  if (word === null || words.includes(word)) return word;
  throw new Refusal(400, { message: `${name} must be one of ${words.join(", ")}.`, param: name });
}

function limitOf(query: URLSearchParams): number {
  const limit = Number(query.get("limit") ?? 20);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100)
    throw new Refusal(400, { message: "limit must be between 1 and 100.", param: "limit" });
  return limit;
}
