import { isJson } from "#contract";

/** Metadata values are strings of at most 128 characters; others are dropped. */
export function metadataOf(raw: unknown): Readonly<Record<string, string>> {
  if (!isJson(raw)) return EMPTY;
  const kept: Record<string, string> = {};
  for (const [key, value] of Object.entries(raw)) if (typeof value === "string" && value.length <= 128) kept[key] = value;
  return kept;
}
const EMPTY: Readonly<Record<string, string>> = Object.freeze({});
