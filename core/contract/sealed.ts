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
  let left = MAX_SECRETS;
  const seal = (member: string, value: unknown): unknown => {
    if (left-- === 0) throw new GatewayError("REQUEST_INVALID", { what: `The request holds more than ${MAX_SECRETS} secrets.` });
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (value === null || text === "") return value;
    return kept.get(`${member}: ${text}`) ?? kept.get(text) ?? { sealed: vault.seal(text) };
  };
  return mapped(json, (member, value) => {
    if (isSealed(value)) throw reserved(member);
    return isSecret(member) ? seal(member, value) : undefined;
  });
}

/** In one record: sealing costs the process more than anything else that is done with a body. */
const MAX_SECRETS = 1_000;
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
  const stored = new StoredChecks(before, how);
  return checks.map((check) => {
    const { id, parameters = {} } = check;
    const marked = how.catalog.check(id)?.secrets ?? [];
    const isSecret = (member: string): boolean => marked.includes(member) || (how.isSecret?.(member) ?? false);
    return sealSecrets(parameters, isSecret, how.vault, stored.take(check, marked));
  });
}

interface StoredCheck {
  readonly parameters: Json;
  /** What its secrets are shown as. */
  readonly shown: readonly string[];
  taken: boolean;
}

/** Stored checks by what answers show of their secrets, so that each check is found without looking at all the others. */
class StoredChecks {
  /** How many that show this are left. */
  readonly #left = new Map<string, number>();
  /** Those that show this and call there; the first of them last. */
  readonly #there = new Map<string, StoredCheck[]>();

  constructor(before: readonly WrittenCheck[], { catalog, vault }: SealChecks) {
    for (const { id, parameters = {} } of before.toReversed()) {
      const shown: string[] = [];
      visit(parameters, (member, { sealed }) => void shown.push(shownAs(id, member, maskSecret(vault.open(sealed)))));
      const check: StoredCheck = { parameters, shown, taken: false };
      const address = addresses(parameters, catalog.check(id)?.secrets);
      for (const one of shown) {
        this.#left.set(one, (this.#left.get(one) ?? 0) + 1);
        const there = this.#there.get(one + address);
        if (there) there.push(check);
        else this.#there.set(one + address, [check]);
      }
    }
  }

  /** The stored parameters that this check was shown with. Each stored check is answered for once: two may look alike. */
  take(check: CheckToSave, marked: readonly string[]): Json {
    const sentBack = this.#sentBack(check);
    if (sentBack.length === 0) return {};
    const address = addresses(check.parameters, marked);
    const same = sentBack.map((shown) => this.#next(shown + address)).find((found) => found !== undefined);
    if (!same) throw moved(check);
    same.taken = true;
    for (const shown of same.shown) this.#left.set(shown, (this.#left.get(shown) ?? 0) - 1);
    return same.parameters;
  }

  /** The masks of stored secrets that it holds, each as the value of the secret's own member. */
  #sentBack({ id, parameters = {} }: CheckToSave): readonly string[] {
    const found: string[] = [];
    someMember(parameters, (member, value) => {
      const shown = typeof value === "string" ? shownAs(id, member, value) : undefined;
      if (shown !== undefined && (this.#left.get(shown) ?? 0) > 0) found.push(shown);
      return false;
    });
    return found;
  }

  #next(key: string): StoredCheck | undefined {
    const list = this.#there.get(key);
    while (list?.at(-1)?.taken) list.pop();
    return list?.at(-1);
  }
}
const shownAs = (id: string, member: string, mask: string): string => JSON.stringify([id, member, mask]);

/** Parameters that say where a check calls, by their name or by what they hold. */
const addresses = (parameters: Json = {}, marked: readonly string[] = []): string =>
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
