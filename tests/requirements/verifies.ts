/**
 * A promise of the gateway to its users, as data. `served` rows are cited by a test (`test(verifies(id, "sentence"), …)`);
 * the others say what they wait for. The README's status table is derived from the rows.
 */
export interface Requirement {
  /** `<section or endpoint>.<slug>`, e.g. `E3.scopes-exceed-role`. */
  readonly id: string;
  /** Chapter of the documentation it stands in. */
  readonly section: string;
  readonly promise: string;
  /** `true`, or what it waits for: the capability that will bring it. */
  readonly served: true | { readonly later: string };
}

/** The name of a test that shows a promise kept: a sentence that could stand in the manual, with the promise's id. */
export const verifies = (id: string, sentence: string): string => `${sentence} [${id}]`;
