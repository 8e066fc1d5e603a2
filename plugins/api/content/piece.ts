import { isJson, type Json, type SegmentKind } from "#contract";
import type { TextFound } from "./found.ts";
import { entry } from "./wire.ts";

/** What one content part says, and below which of its members it stands. */
export interface Piece {
  readonly kind: SegmentKind;
  readonly text: TextFound;
  readonly below: string;
}
export const piece = (kind: SegmentKind, value: unknown, below: string): Piece | undefined =>
  typeof value === "string" ? { kind, text: value, below } : undefined;

type Media = "image" | "file";
/** Sources of Anthropic's media by their type, which alone says which member counts. */
const SOURCES: Readonly<Record<string, (source: Json, kind: Media) => Piece | undefined>> = {
  text: ({ data }) => piece("text", data, ".source.data"),
  url: ({ url }, kind) => piece(kind, url, ".source.url"),
  file: ({ file_id }, kind) => piece(kind, file_id, ".source.file_id"),
  base64: ({ data, media_type }, kind) =>
    typeof data === "string"
      ? { kind, text: `data:${typeof media_type === "string" ? media_type : ""};base64,${data}`, below: ".source.data" }
      : undefined,
};
/** A source of a type we do not know is read whole, so that nothing is invisible. */
export function sourcePiece(kind: Media, source: unknown): Piece | undefined {
  if (!isJson(source)) return undefined;
  const read = entry(SOURCES, source["type"])?.(source, kind);
  return read ?? { kind, text: () => JSON.stringify(source), below: ".source" };
}
