/** Characters of a text that count; the rest of a longer one says nothing new. */
const COUNTED = 16 * 1024;

/** The words of a text in lower case. */
export const wordsIn = (text: string): readonly string[] =>
  text
    .slice(0, COUNTED)
    .toLowerCase()
    .match(/[\p{L}\p{N}]+/gu) ?? [];
