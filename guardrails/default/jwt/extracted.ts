import type { Patch } from "#contract";
import { textOf } from "../match-type.ts";
import type { Jwt } from "./params.ts";
import { claimOf } from "./rules.ts";

type HeaderPatch = Extract<Patch, { readonly header: string }>;

export const headerOf = (claim: string, { claimPrefix }: Pick<Jwt, "claimPrefix">): string => `${claimPrefix}${claim}`.toLowerCase();

/** Claims as request headers. What the token does not say, no client says in its place. */
export const extracted = (payload: object, params: Jwt): readonly HeaderPatch[] =>
  (params.extractClaims ?? []).map((claim) => ({ header: headerOf(claim, params), value: headerValue(claimOf(payload, claim)) }));

const MAX_CHARS = 4_096;
/** A text as it is, everything else as JSON; what no header can hold is percent-encoded. One that is too long is left out. */
function headerValue(claim: unknown): string | null {
  if (claim === undefined) return null;
  const value = textOf(claim).replace(/[^\x20-\x7e]+/gu, encoded);
  return value.length > MAX_CHARS ? null : value;
}
const encoded = (text: string): string => encodeURIComponent(text.toWellFormed());
