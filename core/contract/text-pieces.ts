/** A text in pieces of so many characters, the last of what is left; a character that takes two units stays whole. */
export function* piecesOf(text: string, length: number): Generator<string> {
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = endOfPiece(text, from, length);
    yield text.slice(from, to);
  }
}
/** Where the piece that begins at `from` ends. */
export const endOfPiece = (text: string, from: number, length: number): number =>
  from + length + (isHighSurrogate(text.charCodeAt(from + length - 1)) ? 1 : 0);

/** Is it the first half of a character? */
const isHighSurrogate = (unit: number): boolean => unit >= 0xd800 && unit < 0xdc00;
