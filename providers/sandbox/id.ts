/** An id that is the same for the same content: two 32-bit FNV-1a hashes as hex, of evenly spread characters of a long one. */
export function idOf(content: unknown): string {
  const text = typeof content === "string" ? content : JSON.stringify(content);
  return hash(text, 0x811c9dc5) + hash(text, 0x01234567);
}

function hash(text: string, seed: number): string {
  const step = Math.ceil(text.length / MOST) || 1;
  let value = seed ^ (step - 1);
  for (let at = 0; at < text.length; at += step) value = Math.imul(value ^ text.charCodeAt(at), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, "0");
}

/** Characters that are hashed: nobody else is served meanwhile. */
const MOST = 64 * 1024;
