import type { Caller, CallerTerms } from "./request.ts";

/** A term of callers: what a policy that knows who asks says of them, and whoever obeys it reads. */
export interface CallerTerm<T> {
  /** What this caller is held to; what was agreed on by default where nothing was said. */
  of(caller: Pick<Caller, "terms">): T;
  /** The member of `Caller.terms` that says so: `terms: { ...Tier.saying("gold") }`. */
  saying(value: T): CallerTerms;
}

/**
 * A term by this name, with its type and what holds where nothing is said. Plugins agree by the name: each bundle may have a
 * copy of this function. Said once for each record of a key, not for each request.
 */
export const callerTerm = <T>(name: string, unsaid: T): CallerTerm<T> => ({
  of: ({ terms }) => (terms?.[name] as T | undefined) ?? unsaid, // its type is the name's: who says it and who reads it take the same term
  saying: (value) => ({ [name]: value }),
});
