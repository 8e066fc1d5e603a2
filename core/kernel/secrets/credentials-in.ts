import { eachMember, isJson, parseJson } from "#contract";

/** A shorter text may be a word, and one without a figure is no credential that anybody made. */
const MIN_LENGTH = 16;
const looksLikeOne = (text: string): boolean => text.length >= MIN_LENGTH && /\d/.test(text) && !/:\/\/|@/.test(text);

/** What a secret that is JSON holds of credentials: it is used in parts, and each of them is one. */
export function credentialsIn(secret: string): readonly string[] {
  if (!secret.trimStart().startsWith("{")) return [];
  const found: string[] = [];
  try {
    const value = parseJson(secret);
    if (isJson(value)) eachMember(value, (_, inner) => void (typeof inner === "string" && looksLikeOne(inner) && found.push(inner)));
  } catch {
    // no JSON: all of it is the secret
  }
  return [...new Set(found)];
}
