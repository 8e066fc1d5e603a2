/** Levels of brackets up to which JSON is kept as JSON: far more than any API uses, far fewer than writing it down again can bear. */
const MAX_LEVELS = 128;

const [QUOTE, BACKSLASH, OPEN_ARRAY, CLOSE_ARRAY, OPEN_OBJECT, CLOSE_OBJECT] = [0x22, 0x5c, 0x5b, 0x5d, 0x7b, 0x7d];

/** Is this JSON text nested too deeply? One pass; what stands in strings is skipped. */
export function isDeepText(text: string): boolean {
  let levels = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === QUOTE) at = endOfString(text, at);
    else if (char === OPEN_ARRAY || char === OPEN_OBJECT) levels += 1;
    else if (char === CLOSE_ARRAY || char === CLOSE_OBJECT) levels -= 1;
    if (levels > MAX_LEVELS) return true;
  }
  return false;
}

/** Where the string that begins here ends; of a text that was cut, its end. */
function endOfString(text: string, begin: number): number {
  for (let at = text.indexOf('"', begin + 1); at >= 0; at = text.indexOf('"', at + 1)) if (!isEscaped(text, at)) return at;
  return text.length;
}

/** After an odd number of backslashes. */
function isEscaped(text: string, at: number): boolean {
  let first = at;
  while (text.charCodeAt(first - 1) === BACKSLASH) first -= 1;
  return (at - first) % 2 === 1;
}
