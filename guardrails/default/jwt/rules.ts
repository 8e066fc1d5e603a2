import { isDeepStrictEqual } from "node:util";
import { matches, textOf } from "../match-type.ts";
import type { Jwt } from "./params.ts";
import { Refused } from "./refused.ts";
import type { Claims } from "./verified.ts";

type ClaimRule = NonNullable<Jwt["claimValues"]>[string];
export const wantedOf = ({ values }: ClaimRule): readonly string[] => (Array.isArray(values) ? values : [values]).map(textOf);

/** Throws `Refused` unless the claims are as the parameters want them. */
export function judgeClaims({ header, payload }: Claims, { requiredClaims = [], claimValues = {}, headerPayloadMatch = [] }: Jwt): void {
  for (const claim of requiredClaims) if (claimOf(payload, claim) === undefined) throw new Refused(`The token has no claim ${claim}.`);
  for (const [claim, rule] of Object.entries(claimValues))
    if (!fits(claimOf(payload, claim), rule)) throw new Refused(`The token's claim ${claim} has none of the values that are allowed.`);
  for (const claim of headerPayloadMatch)
    if (!isAlike(claimOf(header, claim), claimOf(payload, claim)))
      throw new Refused(`The token's header and its payload do not say the same as ${claim}.`);
}

export const claimOf = (claims: object, name: string): unknown =>
  Object.hasOwn(claims, name) ? ((claims as Readonly<Record<string, unknown>>)[name] ?? undefined) : undefined;
const isAlike = (inHeader: unknown, inPayload: unknown): boolean => inHeader !== undefined && isDeepStrictEqual(inHeader, inPayload);

/** A claim of more than anybody compares fits nothing. */
const fits = (value: unknown, rule: ClaimRule): boolean =>
  value !== undefined && matches(value, wantedOf(rule), rule.matchType ?? "exact") === true;
