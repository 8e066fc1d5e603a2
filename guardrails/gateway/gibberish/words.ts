import { isShorthand } from "./shorthand.ts";

/** What is no prose: blocks and pieces of code, addresses, tags. */
const NO_PROSE = /```[\s\S]*?(?:```|$)|`[^`\n]*`|https?:\/\/\S+|www\.\S+|[^\s@]{1,64}@\S+|<\/?[a-z][^>]{0,200}>/gi;
/** Letters of a word that are looked at. */
const WORD_CHARS = 64;
/** Signs around a word. */
const AROUND = /^[^\p{L}\p{N}]+|[^\p{L}\p{N}]+$/gu;
const WORD = /^[\p{Script=Latin}\p{M}]+(?:['’´-][\p{Script=Latin}\p{M}]+)*$/u;
/** `GPU`, `EUR`: what they are short for is not heard. Nor are the letters of a gene. */
const ACRONYM = /^(?:\p{Lu}{1,6}|[ACGTUN]{8,})$/u;

/** A text with a sign in the place of what is no prose: the words beside it are no neighbours. */
export const proseOf = (text: string): string => text.replace(NO_PROSE, " # ");

/** Words of a text in Latin letters as they stand there; identifiers, numbers, acronyms, what chats shorten and paths are none. */
export const wordsOf = (prose: string): readonly string[] =>
  prose
    .split(/[\s;,|]+/)
    .map((token) => token.slice(0, WORD_CHARS).replace(AROUND, ""))
    .filter((token) => WORD.test(token) && !ACRONYM.test(token) && !isShorthand(token));
