import type { Vault } from "./capability.ts";
import { GatewayError } from "./errors.ts";
import { isJson, type Json } from "./json.ts";

/** How a secret stands inside a stored JSON member; the host opens it where the record is used. */
export interface Sealed {
  readonly sealed: string;
}
export const isSealed = (value: unknown): value is Sealed =>
  isJson(value) && typeof value["sealed"] === "string" && Object.keys(value).length === 1;

const SHOWN = 2;
const SHORT = 12;
/** `Xk*******S4`: enough for people to tell secrets apart, nothing of a short one. */
export const maskSecret = (secret: string): string =>
  secret.length < SHORT ? "*".repeat(7) : `${secret.slice(0, SHOWN)}*******${secret.slice(-SHOWN)}`;

/** Seals the members `isSecret` names, at any depth. A value that is the mask of a secret in `before` keeps that secret. */
export function sealSecrets(json: Json, isSecret: (member: string) => boolean, vault: Vault, before: Json = {}): Json {
  const kept = new Map<string, Sealed>();
  visit(before, (sealed) => kept.set(maskSecret(vault.open(sealed.sealed)), sealed));
  const seal = (value: unknown): unknown => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    return value === null || text === "" ? value : (kept.get(text) ?? { sealed: vault.seal(text) });
  };
  return mapped(json, (member, value) => {
    if (isSealed(value)) throw reserved(member);
    return isSecret(member) ? seal(value) : undefined;
  });
}

const reserved = (member: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The member ${member} is an object with the reserved member sealed.` }, { param: member });

/** The JSON with its secrets, for use. */
export const openSecrets = (json: Json, vault: Pick<Vault, "open">): Json =>
  mapped(json, (_, value) => (isSealed(value) ? vault.open(value.sealed) : undefined));

/** The JSON with its secrets masked, for answers. */
export const maskSecrets = (json: Json, vault: Pick<Vault, "open">): Json =>
  mapped(json, (_, value) => (isSealed(value) ? maskSecret(vault.open(value.sealed)) : undefined));

/** A copy in which `change` replaced the values it answers for. */
function mapped(json: Json, change: (member: string, value: unknown) => unknown): Json {
  const one = (member: string, value: unknown): unknown => {
    const changed = change(member, value);
    if (changed !== undefined) return changed;
    if (Array.isArray(value)) return value.map((item) => one(member, item));
    return isJson(value) ? mapped(value, change) : value;
  };
  return Object.fromEntries(Object.entries(json).map(([member, value]) => [member, one(member, value)]));
}

function visit(value: unknown, found: (sealed: Sealed) => void): void {
  if (isSealed(value)) found(value);
  else if (Array.isArray(value)) for (const item of value) visit(item, found);
  else if (isJson(value)) for (const item of Object.values(value)) visit(item, found);
}
