import { type Static, Type } from "@sinclair/typebox";

/** A piece of a message that the vendor found. */
export const Piece = Type.Object({
  message_id: Type.Optional(Type.Integer({ minimum: 0 })),
  start: Type.Integer({ minimum: 0 }),
  end: Type.Integer({ minimum: 0 }),
  detector_type: Type.String(),
  text: Type.Optional(Type.String()),
});
type Piece = Static<typeof Piece>;

/** The text with each piece's kind in its place; `undefined` where it cannot be told for certain where one stands. */
export function masked(text: string, pieces: readonly Piece[], endInclusive: boolean): string | undefined {
  let left = "";
  let at = 0;
  for (const piece of pieces.toSorted((a, b) => a.start - b.start)) {
    const span = spanOf(text, piece, endInclusive);
    if (span === undefined) return undefined;
    const [start, end] = span;
    if (start >= at) left += text.slice(at, start) + labelOf(piece); // one that begins inside another is covered by its label
    at = Math.max(at, end);
  }
  return left + text.slice(at);
}

/** Nobody says whether a character beyond the basic plane counts as one or two: then only the found text itself tells. */
function spanOf(text: string, { start, end, text: found }: Piece, endInclusive: boolean): readonly [number, number] | undefined {
  const until = endInclusive ? end + 1 : end;
  if (start >= until || until > text.length) return undefined;
  const isPlain = text.length === [...text].length;
  return (found === undefined ? isPlain : text.slice(start, until) === found) ? [start, until] : undefined;
}

/** `pii/email` -> `[MASKED_EMAIL]` */
const labelOf = ({ detector_type }: Piece): string =>
  `[MASKED_${(detector_type.split("/").at(-1) ?? "").replace(/[^a-zA-Z0-9]+/g, "_").toUpperCase() || "PII"}]`;
