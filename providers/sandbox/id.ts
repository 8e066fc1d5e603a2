/** An id that is the same for the same content: two 32-bit FNV-1a hashes as hex, of a sample of a long one. */
export function idOf(content: unknown): string {
  const text = JSON.stringify(sampled(content));
  return [0x811c9dc5, 0x01234567].map((seed) => hash(text, seed).toString(16).padStart(8, "0")).join("");
}

/** 32-bit FNV-1a. */
export function hash(text: string, seed: number): number {
  let value = seed;
  for (let at = 0; at < text.length; at += 1) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return value >>> 0;
}

/** Characters of a text, and elements of a list, at its beginning and at its end: nobody else is served while they are hashed. */
const CHARS = 512;
const ELEMENTS = 32;

/** The same, with the middle of what is long left out. */
function sampled(value: unknown): unknown {
  if (typeof value === "string") return value.length > 2 * CHARS ? [value.length, value.slice(0, CHARS), value.slice(-CHARS)] : value;
  if (Array.isArray(value)) return ends(value).map(sampled);
  if (typeof value !== "object" || value === null) return value;
  return ends(Object.entries(value)).map(([name, member]) => [name, sampled(member)]);
}
const ends = <T>(list: readonly T[]): readonly T[] =>
  list.length > 2 * ELEMENTS ? [...list.slice(0, ELEMENTS), ...list.slice(-ELEMENTS)] : list;
