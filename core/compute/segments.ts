import type { Segment } from "#contract";
import type { Piece } from "./work.ts";

/** Segments of a text that was joined of them. */
export function segmentsOf(pieces: readonly Piece[], text: string): readonly Segment[] {
  let from = 0;
  return pieces.map(({ chars, ...segment }) => {
    const own = text.slice(from, from + chars);
    from += chars + 1;
    return { ...segment, text: own };
  });
}

export const pieceOf = ({ path, role, kind, text: { length: chars } }: Segment): Piece => ({ path, role, kind, chars });
