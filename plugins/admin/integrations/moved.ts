import type { TObject } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import { GatewayError, isJson, isSealed, type Json } from "#contract";

export interface Update {
  readonly before: Json;
  /** The configurations as they would be stored; a secret that is kept has its sealed text of `before`. */
  readonly next: Json;
  readonly keepsKey: boolean;
  readonly target: TObject | undefined;
}

/**
 * Refuses an update by which a stored credential would go elsewhere, or stand for somebody else. Whoever may edit an
 * integration need not know its credentials: while one is kept, it stays in its field, and the custom host and the
 * fields that the provider's schema marks `bound` stay as they are. A new secret moves nothing: it is no address, and who
 * gives it knows it.
 */
export function refuseMoved({ before, next, keepsKey, target }: Update): void {
  const kept = keptSecrets(next, before);
  const given = new Set(secretsIn(before).map(asText));
  const astray = kept.find((secret) => !given.has(asText(secret)));
  if (astray) throw refused(`is not read from another field: give ${astray.field} itself`, astray.field);
  const names = [...(keepsKey ? ["key"] : []), ...kept.map(({ field }) => field)];
  const moved = boundIn(target).filter((member) => !Value.Equal(next[member] ?? null, before[member] ?? null));
  if (names[0] !== undefined && moved.length > 0)
    throw refused(
      `does not go elsewhere, nor stand for somebody else: to change ${moved.join(", ")}, give ${names.join(", ")} again`,
      names[0],
    );
}

const refused = (what: string, param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `A stored credential ${what}.` }, { param });

/** What every provider has, and what its own schema marks; secrets imply the mark, and are credentials themselves. */
const boundIn = (target: TObject | undefined): readonly string[] => [
  "custom_host",
  ...Object.entries(target?.properties ?? {}).flatMap(([field, schema]) =>
    schema["bound"] === true && schema["secret"] !== true && field !== "custom_host" ? [field] : [],
  ),
];

interface Secret {
  /** Path below the configurations. */
  readonly field: string;
  readonly sealed: string;
}
const asText = ({ field, sealed }: Secret): string => JSON.stringify([field, sealed]);

function keptSecrets(next: Json, before: Json): readonly Secret[] {
  const stored = new Set(secretsIn(before).map(({ sealed }) => sealed));
  return secretsIn(next).filter(({ sealed }) => stored.has(sealed));
}

function secretsIn(value: unknown, field = ""): readonly Secret[] {
  if (isSealed(value)) return [{ field, sealed: value.sealed }];
  if (!isJson(value) && !Array.isArray(value)) return [];
  return Object.entries(value).flatMap(([member, inner]) => secretsIn(inner, field === "" ? member : `${field}.${member}`));
}
