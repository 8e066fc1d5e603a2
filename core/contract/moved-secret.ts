import { Value } from "@sinclair/typebox/value";
import type { TSchema } from "@sinclair/typebox";
import { GatewayError } from "./errors.ts";
import { isJson, type Json } from "./json.ts";
import { isSealed } from "./sealed-json.ts";

/*
 * A stored credential stays where it was given for. Whoever may edit a record need not know its credentials, and must be
 * able neither to have them sent elsewhere nor to have them stand for somebody else. Records, configs and checks keep their
 * credentials in different places; the rule is this one.
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
  /** It would be read from another member than it was given in. */
  readonly renamed: boolean;
  /** The members of its place that would have to stay: those of the place that it was given for and that differs least. */
  readonly changes: readonly string[];
}

/**
 * Throws what `refusal` says of the first use of a stored credential that is not one it was given for. A credential that
 * is new moves nothing: who gives it knows it.
 */
export function refuseMovedSecrets<U extends SecretUse>(
  next: Iterable<U>,
  before: Iterable<SecretUse>,
  refusal: (moved: MovedSecret<U>) => GatewayError,
): void {
  const stored = Map.groupBy(before, ({ sealed }) => sealed);
  const places = new Map<string, ReadonlySet<string>>(); // of those that are used again
  for (const use of next) {
    const given = stored.get(use.sealed);
    if (!given) continue;
    const givenFor = places.get(use.sealed) ?? new Set(given.map(textOf));
    places.set(use.sealed, givenFor);
    if (!givenFor.has(textOf(use))) throw refusal(movedFrom(given, use));
  }
}

function movedFrom<U extends SecretUse>(given: readonly SecretUse[], use: U): MovedSecret<U> {
  const [changes = []] = given.map(({ place }) => differences(place, use.place)).sort((a, b) => a.length - b.length);
  return { use, renamed: given.every(({ member }) => member !== use.member), changes };
}
const differences = (a: Json, b: Json): readonly string[] =>
  Object.keys({ ...a, ...b }).filter((member) => !Value.Equal(a[member] ?? null, b[member] ?? null));

/** The same for uses of one secret in one member at one place. */
const textOf = ({ sealed, member, place }: SecretUse): string => JSON.stringify([sealed, member, inOrder(place)]);
function inOrder(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(inOrder);
  if (!isJson(value)) return value;
  const members = Object.entries(value).filter(([, inner]) => inner !== null && inner !== undefined);
  return members.sort(([a], [b]) => (a < b ? -1 : 1)).map(([member, inner]) => [member, inOrder(inner)]);
}

/** Secrets that are sealed at any depth, with their paths. */
export function sealedIn(value: unknown, member = ""): readonly Pick<SecretUse, "sealed" | "member">[] {
  if (isSealed(value)) return [{ sealed: value.sealed, member }];
  if (!isJson(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([name, inner]) => sealedIn(inner, member === "" ? name : `${member}.${name}`));
}

/** Does a schema say that its member decides where secrets go, or whom they stand for? A secret is a credential itself. */
export const isBound = (schema: TSchema): boolean => schema["bound"] === true && schema["secret"] !== true;

/* ── records, whose secrets all go to one place ──────────────────────────────────────────────────────────────── */

/** One record before and after an update. A secret that is kept has its sealed text of `before`. */
export interface SecretUpdate {
  readonly before: Json;
  readonly next: Json;
  /** Members that say where the secrets go, or whom they stand for; those of inner objects as `outer.inner`. */
  readonly bound: readonly string[];
  /** Secrets that are kept in columns of their own. */
  readonly kept?: readonly string[];
}

/** Throws REQUEST_INVALID for an update by which a kept secret would be read from another member, or go elsewhere. */
export function refuseMovedInRecord({ before, next, bound, kept = [] }: SecretUpdate): void {
  const stored = usesIn(before, bound, kept);
  const uses = usesIn(next, bound, kept);
  refuseMovedSecrets(uses, stored, ({ use, renamed, changes }) => {
    if (renamed) return refused(`is not read from another field: give ${use.member} itself`, use.member);
    const sealed = new Set(stored.map((other) => other.sealed));
    const names = uses.flatMap((other) => (sealed.has(other.sealed) ? other.member : []));
    const toGive = `to change ${changes.join(", ")}, give ${names.join(", ")} again`;
    return refused(`does not go elsewhere, nor stand for somebody else: ${toGive}`, names[0] ?? use.member);
  });
}

function usesIn(record: Json, bound: readonly string[], kept: readonly string[]): readonly SecretUse[] {
  const place = Object.fromEntries(bound.map((path) => [path, valueAt(record, path)]));
  const columns = kept.map((member) => ({ member, sealed: `column ${member}` })); // of one record: its name says which it is
  return [...columns, ...sealedIn(record)].map((use) => ({ ...use, place }));
}

const valueAt = (record: Json, path: string): unknown =>
  path.split(".").reduce<unknown>((value, member) => (isJson(value) ? value[member] : undefined), record);

const refused = (what: string, param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `A stored credential ${what}.` }, { param });
