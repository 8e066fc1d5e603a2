/* What a scan is told, and what it finds. */

export interface ScanOptions {
  /** Characters that are parsed in one go at most; the scan's own measure unless it says otherwise. */
  readonly group?: number;
  /** Whether all of it will be parsed in one go: then its length is work too. */
  readonly inOneGo?: boolean;
}
/** A text from quote to quote. */
export interface ClosedText {
  readonly from: number;
  readonly to: number;
  readonly hash: number;
  readonly isShort: boolean;
}

/** A value that is too long to be parsed in one go. */
export interface LongValue {
  readonly kind: "list" | "object" | "text";
  /** Where its first character stands: a bracket, a brace or a quote. */
  readonly from: number;
  /** Where its last one stands. */
  readonly to: number;
  /** Commas between its own elements or members, about so many characters apart as are parsed in one go; one behind each of `inner`. */
  readonly cuts: readonly number[];
  /** Its elements, or the values of its members, that are too long themselves. */
  readonly inner: readonly LongValue[];
}
