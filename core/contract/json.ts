/** A JSON object whose members are not yet known; narrow it with a schema before use. */
export type Json = Record<string, unknown>;

/** A JSON text. A long one stays in the bytes of UTF-8 that it came in: making one text of them holds up everybody else. */
export type JsonText = string | Uint8Array<ArrayBuffer>;

/** No API nests so deep; what does could not be written down again: the runtime takes seconds to find that out, and throws. */
export const MAX_JSON_LEVELS = 512;

/** Does it nest deeper than so many levels? */
export function nestsDeeper(value: unknown, levels: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (levels === 0) return true;
  if (Array.isArray(value)) return value.some((item) => nestsDeeper(item, levels - 1));
  for (const name in value) if (nestsDeeper((value as Json)[name], levels - 1)) return true; // an object, by the lines above
  return false;
}

/** JSON that somebody else wrote; what nests deeper than MAX_JSON_LEVELS is a SyntaxError too, so that whoever gets it may walk it. */
export function parseJson(text: string): unknown {
  const value: unknown = JSON.parse(text);
  if (text.length > 2 * MAX_JSON_LEVELS && nestsDeeper(value, MAX_JSON_LEVELS))
    throw new SyntaxError(`it is nested deeper than ${MAX_JSON_LEVELS} levels`);
  return value;
}

/** Is this a JSON object (not null, not an array)? */
export const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
