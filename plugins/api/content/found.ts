import type { InnerJson, PlacedSegment, Segment, SegmentKind } from "#contract";

/** Where readers put what they find. */
export interface Found extends Array<PlacedSegment> {
  /** Reads the arguments of all calls in it. */
  inner?: InnerJson;
}
/** A piece whose text is made when it is looked at: most checks look at no calls and at no files. */
export function findLater(found: Found, segment: Omit<PlacedSegment, "text">, textOf: () => string): void {
  let made: string | undefined;
  found.push({
    ...segment,
    get text() {
      return (made ??= textOf());
    },
  });
}

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

/** A text, or what makes it when it is looked at. */
export type TextFound = string | ((found: Found) => string);

export function add(found: Found, { role, message, result }: Place, kind: SegmentKind, value: TextFound, path: string): void {
  const segment = { path, role, kind: kind === "text" && result ? "tool_result" : kind, message } as const;
  if (typeof value === "string") found.push({ ...segment, text: value });
  else findLater(found, segment, () => value(found));
}
