import { isJson } from "#contract";
import type { OwnKeys } from "../../kernel/secrets/own-keys.ts";

/** What a config sets in bodies: texts and members that hold a key of the gateway count as not given. */
export function givenParams<T>(value: T, ownKeys: Pick<OwnKeys, "foundIn">): T {
  const holdsKey = (part: unknown): boolean => typeof part === "string" && ownKeys.foundIn(part);
  if (Array.isArray(value)) return value.filter((item) => !holdsKey(item)).map((item: unknown) => givenParams(item, ownKeys)) as T; // the list it was
  if (!isJson(value)) return value;
  const members = Object.entries(value).filter(([name, inner]) => !holdsKey(name) && !holdsKey(inner));
  return Object.fromEntries(members.map(([name, inner]) => [name, givenParams(inner, ownKeys)])) as T; // the object it was
}
