import { GatewayError, type Handles, messageOf, type SecretSource } from "#contract";
import type { MissingSecrets } from "./missing-secrets.ts";
import type { ProcessLog } from "../process/log.ts";
import { runStep } from "../life.ts";

/** Secret sources by scheme, and where the profile says that a secret lives. */
export interface SecretParts {
  readonly sources: ReadonlyMap<string, SecretSource>;
  readonly places: Readonly<Record<string, string>>;
  readonly missing: MissingSecrets;
  readonly log: ProcessLog;
}

/** A source that is silent for longer has no secret to give: what waits for one must be told why it cannot go on. */
const SOURCE_LIMIT_MS = 2_000;

/**
 * Reads the secrets a plugin declared; every secret read is hidden from the log from then on. One that cannot be had is
 * SECRET_MISSING, whatever the reason, and remembered until it can.
 */
export function secretsFor(plugin: string, declared: ReadonlySet<string>, parts: SecretParts): Handles["secrets"] {
  const { missing, log } = parts;
  return {
    async read(name) {
      if (!declared.has(name)) throw lacking(plugin, name, "its manifest does not name it under needs");
      try {
        const secret = await secretAt(placeOf(name, parts.places), parts);
        missing.found(plugin, name);
        log.hide(secret);
        return secret;
      } catch (thrown) {
        const why = thrown instanceof NoSecret ? thrown.message : `${placeOf(name, parts.places)} could not be read`; // a backend's words may hold one
        if (missing.lost(plugin, name, why)) log.log("warn", "secret.missing", { plugin, name, why: messageOf(thrown) });
        throw lacking(plugin, name, why, thrown);
      }
    },
  };
}

/**
 * A value that is a default among others, kept where secrets are: `undefined` where it cannot be had, which nobody is told
 * of. What is no secret (a region) is not hidden: lines of the log would lack a word that is no harm.
 */
export async function secretIfAny(name: string, isSecret: boolean, parts: SecretParts): Promise<string | undefined> {
  try {
    const value = await secretAt(placeOf(name, parts.places), parts);
    if (isSecret) parts.log.hide(value);
    return value;
  } catch {
    return undefined; // who needs one says where else it may be kept
  }
}

/** Where a secret lives, as `scheme:name`. */
export const placeOf = (name: string, places: SecretParts["places"]): string => places[name] ?? `env:${name}`;
export const schemeOf = (place: string): string => place.slice(0, Math.max(0, place.indexOf(":")));
const nameIn = (place: string): string => place.slice(place.indexOf(":") + 1);

class NoSecret extends Error {}

async function secretAt(place: string, { sources }: SecretParts): Promise<string> {
  const source = sources.get(schemeOf(place));
  if (!source) throw new NoSecret(unreadable(place, [...sources.keys()]));
  const secret = await runStep(SOURCE_LIMIT_MS, () => source.read(nameIn(place)));
  if (secret === undefined || secret.trim() === "") throw new NoSecret(nothingAt(place));
  return secret;
}

/** What to do about a place that holds nothing. */
export const nothingAt = (place: string): string =>
  schemeOf(place) === "env"
    ? `set the environment variable ${nameIn(place)}, or name another place for it under secrets in the profile`
    : `there is none at ${place}; put it there, or name another place for it under secrets in the profile`;
export const unreadable = (place: string, schemes: readonly string[]): string =>
  `no running secret plugin reads ${place}; write scheme:name with one of ${schemes.join(", ") || "(there is none)"}`;

const lacking = (plugin: string, secret: string, why: string, cause?: unknown): GatewayError =>
  new GatewayError("SECRET_MISSING", { plugin, secret, why }, { cause });
