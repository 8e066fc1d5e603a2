import type { PlacedSegment, Segment } from "#contract";

/** Where readers put what they find. */
export type Found = PlacedSegment[];

/** Where a reader stands: what every piece found from here on has in common. */
export interface Place {
  readonly path: string;
  readonly role: Segment["role"];
  readonly message: number;
  /** Plain text found here is the result of a tool. */
  readonly result: boolean;
}
export const at = (path: string, role: Segment["role"], message: number): Place => ({ path, role, message, result: role === "tool" });

const PLAIN_NAME = /^[^.[\]"\\]+$/;
/** The path of a member; a name that would read as another path is quoted. */
export function below(path: string, name: string): string {
  if (!PLAIN_NAME.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === "" ? name : `${path}.${name}`;
}
