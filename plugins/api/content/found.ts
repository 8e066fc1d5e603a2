import type { PlacedSegment, Segment, SegmentKind } from "#contract";

/** Where readers put what they find. */
export type Found = PlacedSegment[];

/** Where a reader stands: what every piece found from here on has in common. */
export interface Place {
  readonly path: string;
  readonly role: Segment["role"];
  readonly message: number;
  /** Plain text found here is the result of a tool. */
  readonly result: boolean;
  /** It stands in a document: what nests deeper is read as its JSON. */
  readonly inDocument?: true;
}
export const at = (path: string, role: Segment["role"], message: number): Place => ({ path, role, message, result: role === "tool" });

export const add = (found: Found, { role, message, result }: Place, kind: SegmentKind, value: string, path: string): void =>
  void found.push({ path, role, kind: kind === "text" && result ? "tool_result" : kind, text: value, message });
