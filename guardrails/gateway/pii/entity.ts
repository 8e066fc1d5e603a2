/** What `gateway.pii` looks for. */
export const CATEGORIES = ["EMAIL_ADDRESS", "PHONE_NUMBER", "LOCATION_ADDRESS", "NAME", "IP_ADDRESS", "CREDIT_CARD", "SSN"] as const;
export type Category = (typeof CATEGORIES)[number];

/** Where a value stands in a text. */
export interface Span {
  readonly start: number;
  /** Of the character behind its last. */
  readonly end: number;
}
export interface Entity extends Span {
  readonly category: Category;
}

/** Finds values of one category, in the order of the text and without overlaps. Its time is linear in the text. */
export type Finder = (text: string) => Span[];

/** Does what stands within so many characters before a place match? */
export const isAfter = (text: string, at: number, pattern: RegExp, reach = 40): boolean =>
  pattern.test(text.slice(Math.max(0, at - reach), at));
