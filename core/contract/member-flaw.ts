import type { TObject } from "@sinclair/typebox";
import { type ValueError, Value, ValueErrorType } from "@sinclair/typebox/value";
import type { Json } from "./json.ts";
import { knownNames } from "./nearest.ts";

/** Where something is wrong with an object, and why, for the person who wrote it. */
export interface MemberFlaw {
  /** `headers.x` */
  readonly member: string;
  readonly why: string;
}
/** As many errors as are looked through for the telling one. */
const MOST = 50;

/**
 * The one flaw to mend first. A member that the schema does not know goes before one that is missing: it was misspelt more
 * often than not.
 */
export function memberFlaw(schema: TObject, value: Json): MemberFlaw | undefined {
  const errors: ValueError[] = [];
  for (const error of Value.Errors(schema, value)) if (errors.push(error) === MOST) break;
  const telling = errors.find(isUnknown) ?? errors[0];
  if (!telling) return undefined;
  const member = telling.path.slice(1).replaceAll("/", ".");
  const isOwn = isUnknown(telling) && !member.includes(".");
  return { member, why: isOwn ? unknownMember(member, Object.keys(schema.properties)) : lowered(telling.message) };
}
const isUnknown = ({ type }: ValueError): boolean => type === ValueErrorType.ObjectAdditionalProperties;

/** For a member that there is not: what there is. */
export const unknownMember = (member: string, known: readonly string[]): string =>
  `there is no such member. ${knownNames("Known are", member.slice(0, MAX_NAME), known).replace(/\.$/, "")}`;
const MAX_NAME = 200;

/** Inside of a sentence; what the message quotes keeps its capitals. */
const lowered = (message: string): string => message.slice(0, 1).toLowerCase() + message.slice(1);
