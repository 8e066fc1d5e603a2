/** Longer ones are judged in parts of this length, so that the time a pattern takes has a limit. */
const MAX_SENTENCE = 400;

/** A text as the rules read it: sentences in small letters, with one kind of apostrophe and without letters that look like others. */
export function sentencesOf(text: string): readonly string[] {
  return plain(text)
    .split(/(?<=[.!?…。])\s+|\n+/u)
    .flatMap(parts)
    .filter((sentence) => sentence.length > 2);
}

const plain = (text: string): string =>
  text
    .normalize("NFKC")
    .toLowerCase()
    .replace(/[’‘`´]/g, "'")
    .replace(/[\u00ad\u200b-\u200f\u2060\ufeff]/g, "")
    .replace(/(?<=\p{L})[1!|](?=\p{L})/gu, "i")
    .replace(/(?<=\p{L})3(?=\p{L})/gu, "e")
    .replace(/(?<=\p{L})0(?=\p{L})/gu, "o")
    .replace(/(?<=\p{L})[@4](?=\p{L})/gu, "a")
    .replace(/[^\S\n]+/g, " ");

const parts = (sentence: string): readonly string[] =>
  sentence.length <= MAX_SENTENCE
    ? [sentence.trim()]
    : Array.from({ length: Math.ceil(sentence.length / MAX_SENTENCE) }, (_, part) =>
        sentence.slice(part * MAX_SENTENCE, (part + 1) * MAX_SENTENCE).trim(),
      );
