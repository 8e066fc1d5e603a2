import type { Catalog, Vault } from "./capability.ts";
import { GatewayError } from "./errors.ts";
import type { WrittenCheck } from "./judge-check.ts";
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

/**
 * Seals the members `isSecret` names, at any depth. A value that is the mask of a secret in `before` keeps that secret:
 * the one of a member of the same name, where several look alike.
 */
export function sealSecrets(json: Json, isSecret: (member: string) => boolean, vault: Vault, before: Json = {}): Json {
  const kept = new Map<string, Sealed>();
  visit(before, (member, sealed) => {
    const mask = maskSecret(vault.open(sealed.sealed));
    kept.set(mask, sealed).set(`${member}: ${mask}`, sealed);
  });
  const seal = (member: string, value: unknown): unknown => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (value === null || text === "") return value;
    return kept.get(`${member}: ${text}`) ?? kept.get(text) ?? { sealed: vault.seal(text) };
  };
  return mapped(json, (member, value) => {
    if (isSealed(value)) throw reserved(member);
    return isSecret(member) ? seal(member, value) : undefined;
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

/** Is there such a value, at any depth? */
const someMember = (json: Json, is: (member: string, value: unknown) => boolean): boolean =>
  Object.entries(json).some(([member, value]) => someValue(member, value, is));
function someValue(member: string, value: unknown, is: (member: string, value: unknown) => boolean): boolean {
  if (is(member, value)) return true;
  if (Array.isArray(value)) return value.some((item) => someValue(member, item, is));
  return isJson(value) && someMember(value, is);
}

/** Every sealed secret, with the member it is the value of. */
function visit(json: Json, found: (member: string, sealed: Sealed) => void): void {
  someMember(json, (member, value) => {
    if (isSealed(value)) found(member, value);
    return false;
  });
}

/* ── parameters of checks ────────────────────────────────────────────────────────────────────────────────────── */

/** A check about to be saved. */
export interface CheckToSave extends WrittenCheck {
  /** Where it stands in the request, for errors. */
  readonly at: string;
}
export interface SealChecks {
  readonly catalog: Pick<Catalog, "check">;
  readonly vault: Vault;
  /** Members that are secret beside those a check's own schema marks. */
  readonly isSecret?: (member: string) => boolean;
}

/**
 * The checks' parameters, in order, with what their schemas mark `secret: true` sealed. A secret that is sent back as it
 * was shown keeps its value out of `before`, as long as it goes where it went: throws REQUEST_INVALID when the check now
 * names another address, for whoever may edit it need not know its secrets, and must not be able to have them sent elsewhere.
 */
export function sealChecks(checks: readonly CheckToSave[], before: readonly WrittenCheck[], how: SealChecks): Json[] {
  const left = [...before];
  return checks.map((check) => {
    const { id, parameters = {} } = check;
    const marked = how.catalog.check(id)?.secrets ?? [];
    const stored = storedFor(check, marked, left, how);
    return sealSecrets(parameters, (member) => marked.includes(member) || (how.isSecret?.(member) ?? false), how.vault, stored);
  });
}

/** The stored parameters that this check was shown with. Each stored check is answered for once: two may look alike. */
function storedFor(check: CheckToSave, marked: readonly string[], left: WrittenCheck[], how: SealChecks): Json {
  const sentBack = left.filter((stored) => stored.id === check.id && showsSecretOf(stored.parameters ?? {}, check.parameters ?? {}, how));
  if (sentBack.length === 0) return {};
  const same = sentBack.find((stored) => addresses(stored.parameters, marked) === addresses(check.parameters, marked));
  if (!same) throw moved(check);
  left.splice(left.indexOf(same), 1);
  return same.parameters ?? {};
}

/** Does one of these parameters hold the mask of a stored secret of its name? */
function showsSecretOf(stored: Json, sent: Json, { vault }: SealChecks): boolean {
  const shown = new Set<string>();
  visit(stored, (member, { sealed }) => void shown.add(`${member}: ${maskSecret(vault.open(sealed))}`));
  const holds = (member: string, value: unknown): boolean => shown.has(`${member}: ${String(value)}`);
  return shown.size > 0 && someMember(sent, holds);
}

/** Parameters that say where a check calls, by their name or by what they hold. */
const addresses = (parameters: Json = {}, marked: readonly string[]): string =>
  JSON.stringify(
    Object.entries(parameters)
      .filter(([member, value]) => !marked.includes(member) && (ADDRESS.test(member) || JSON.stringify(value).includes("://")))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
const ADDRESS = /url|host|domain|endpoint|region/i;

const moved = ({ id, at }: CheckToSave): GatewayError =>
  new GatewayError(
    "REQUEST_INVALID",
    { what: `A stored secret of the check ${id} is not sent to another address: give it again in ${at}.` },
    { param: at },
  );
