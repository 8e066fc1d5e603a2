import { Value } from "@sinclair/typebox/value";
import type { TSchema } from "@sinclair/typebox";
import { isJson, type Json } from "./json.ts";
import { isSealed } from "./sealed-json.ts";

/*
 * A stored credential stays where it was given for. Whoever may edit a record need not know its credentials, and must be
 * able neither to have them sent elsewhere nor to have them stand for somebody else.
 */

/** One credential in one place. */
export interface SecretUse {
  readonly sealed: string;
  /** Its path below what holds it. */
  readonly member: string;
  /** What decides where it goes, and as whom; null is the same as absent. */
  readonly place: Json;
}
export interface MovedSecret<U extends SecretUse> {
  readonly use: U;
  /** The places that it was given for. */
  readonly given: readonly SecretUse[];
}

/** Every use of a stored credential that is not one it was given for. A credential that is new moves nothing: who gives it knows it. */
export function* movedSecrets<U extends SecretUse>(next: Iterable<U>, before: Iterable<SecretUse>): Generator<MovedSecret<U>> {
  const stored = Map.groupBy(before, ({ sealed }) => sealed);
  const places = new Map<string, ReadonlySet<string>>(); // of those that are used again
  for (const use of next) {
    const given = stored.get(use.sealed);
    if (!given) continue;
    const givenFor = places.get(use.sealed) ?? new Set(given.map(textOf));
    places.set(use.sealed, givenFor);
    if (!givenFor.has(textOf(use))) yield { use, given };
  }
}

/** The members in which two places differ. */
export const placeChanges = ({ place: a }: Pick<SecretUse, "place">, { place: b }: Pick<SecretUse, "place">): readonly string[] =>
  Object.keys({ ...a, ...b }).filter((member) => !Value.Equal(a[member] ?? null, b[member] ?? null));

/** Secrets that are sealed at any depth, with their paths. */
export function sealedIn(value: unknown, member = ""): readonly Pick<SecretUse, "sealed" | "member">[] {
  if (isSealed(value)) return [{ sealed: value.sealed, member }];
  if (!isJson(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => sealedIn(inner, member === "" ? name : `${member}.${name}`));
}

/** Does a schema say that its member decides where secrets go, or whom they stand for? A secret is a credential itself. */
export const isBound = (schema: TSchema): boolean => schema["bound"] === true && schema["secret"] !== true;

/** The same for uses of one secret in one member at one place. */
const textOf = ({ sealed, member, place }: SecretUse): string => JSON.stringify([sealed, member, inOrder(place)]);
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isJson(value)) return value;
  const members = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined);
  return members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([member, inner]) => [member, inOrder(inner)]);
}
