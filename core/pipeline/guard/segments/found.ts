import type { Segment } from "#contract";

/** A segment and the number of the message (or answer) it belongs to; scopes choose by that number. */
export interface Placed extends Segment {
  readonly message: number;
}
/** Where readers put what they find. */
export type Found = Placed[];

/** Where a reader stands: what every piece found from here on has in common. */
export interface Place {
  readonly path: string;
  readonly role: Segment["role"];
  readonly message: number;
  /** Plain text found here is the result of a tool. */
  readonly result: boolean;
}
export const at = (path: string, role: Segment["role"], message: number): Place => ({ path, role, message, result: role === "tool" });
