import { matchProblems } from "../match-type.ts";
import { headerProblems } from "../headers-parameter.ts";
import { headerOf } from "./extracted.ts";
import type { Jwt } from "./params.ts";
import { wantedOf } from "./rules.ts";

const MAX_URIS = 10;
/** The addresses in a list with commas. */
export const urisIn = (jwksUri = ""): readonly string[] =>
  jwksUri
    .split(",")
    .map((uri) => uri.trim())
    .filter((uri) => uri !== "");

/** What is wrong with the parameters beyond their schema. */
export function jwtProblems(params: Jwt): readonly string[] {
  const uris = urisIn(params.jwksUri);
  const { jwks, introspectEndpoint, introspectHeaders, maxTokenAge } = params;
  return [
    ...(uris.length === 0 && !jwks && !introspectEndpoint ? ["One of jwksUri, jwks and introspectEndpoint must be given."] : []),
    ...(uris.length > MAX_URIS ? [`jwksUri may name ${MAX_URIS} addresses at most.`] : []),
    ...uris.filter((uri) => !isAddress(uri)).map((uri) => `jwksUri holds what is no http or https address: ${uri.slice(0, 80)}.`),
    ...(introspectEndpoint && !isAddress(introspectEndpoint) ? ["introspectEndpoint must be an http or https address."] : []),
    ...headerProblems("introspectHeaders", introspectHeaders),
    ...(AGE.test(maxTokenAge) ? [] : ["maxTokenAge must be a number and a unit, such as 30m, 12h or 1d."]),
    ...Object.values(params.claimValues ?? {}).flatMap((rule) => matchProblems(wantedOf(rule), rule.matchType ?? "exact")),
    ...(params.extractClaims ?? []).filter((claim) => !HEADER.test(headerOf(claim, params))).map(noHeader),
  ];
}
const isAddress = (text: string): boolean => /^https?:\/\//.test(text) && URL.canParse(text);
const AGE = /^\d+(?:\.\d+)? ?(?:s|secs?|seconds?|m|mins?|minutes?|h|hrs?|hours?|d|days?|w|weeks?|y|yrs?|years?)$/;
const HEADER = /^x-[a-z0-9_-]{1,120}$/;
const noHeader = (claim: string): string => `The claim ${claim} gives no name of a header: it may have letters, digits, - and _.`;
