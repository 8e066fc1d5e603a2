import type { InnerJson, PlacedSegment, Segment } from "#contract";

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
}
export const at = (path: string, role: Segment["role"], message: number): Place => ({ path, role, message, result: role === "tool" });
