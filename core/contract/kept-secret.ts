import { GatewayError } from "./errors.ts";
import { isJson, type Json } from "./json.ts";
import { movedSecrets, placeChanges, sealedIn, type SecretUse } from "./moved-secret.ts";

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
export function refuseMovedSecrets({ before, next, bound, kept = [] }: SecretUpdate): void {
  const stored = usesIn(before, bound, kept);
  const uses = usesIn(next, bound, kept);
  const moved = [...movedSecrets(uses, stored)];
  const astray = moved.find(({ use, given }) => given.every(({ member }) => member !== use.member))?.use.member;
  if (astray !== undefined) throw refused(`is not read from another field: give ${astray} itself`, astray);
  const [first] = moved;
  if (!first) return;
  const sealed = new Set(stored.map((use) => use.sealed));
  const names = uses.flatMap((use) => (sealed.has(use.sealed) ? use.member : []));
  const changes = placeChanges(first.use, first.given[0] ?? first.use);
  throw refused(
    `does not go elsewhere, nor stand for somebody else: to change ${changes.join(", ")}, give ${names.join(", ")} again`,
    names[0] ?? first.use.member,
  );
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
