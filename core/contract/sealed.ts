import type { Catalog, Vault } from "./capability.ts";
import { GatewayError } from "./errors.ts";
import type { WrittenCheck } from "./judge-check.ts";
import type { Json } from "./json.ts";
import { maskSecret } from "./mask-secret.ts";
import { type MovedSecret, refuseMovedSecrets, type SecretUse } from "./moved-secret.ts";
import { eachMember, isSealed, isUrl, mapped, type Sealed } from "./sealed-json.ts";
import { holdsUrlSecret, maskUrl } from "./secret-url.ts";
import { type CheckToSave, secretUsesIn, StoredChecks } from "./stored-checks.ts";
import { StoredUrls } from "./stored-urls.ts";

type IsSecret = (member: string) => boolean;

/**
 * Seals the members `isSecret` names, and URLs that hold a secret, at any depth. A value that is the mask of a secret in
 * `before` keeps that secret: the one of a member of the same name, where several look alike. A URL's hidden parts are
 * taken from one in `before` of the same member that leads to the same place.
 */
export const sealSecrets = (json: Json, isSecret: IsSecret, vault: Vault, before: Json = {}): Json =>
  sealSecretsFrom({ secrets: before, urls: before }, json, isSecret, vault);

/** The same, where not all that was stored before may give back its secrets. */
export function sealSecretsFrom(
  before: { readonly secrets: Json; readonly urls: Json },
  json: Json,
  isSecret: IsSecret,
  vault: Vault,
): Json {
  const kept = shownSecrets(before.secrets, vault);
  const urls = new StoredUrls(before.urls, vault);
  let left = MAX_SECRETS;
  const sealed = (text: string): Sealed => {
    if (left-- === 0) throw new GatewayError("REQUEST_INVALID", { what: `The request holds more than ${MAX_SECRETS} secrets.` });
    return { sealed: vault.seal(text) };
  };
  const seal = (member: string, value: unknown): unknown => {
    const text = typeof value === "string" ? value : JSON.stringify(value);
    if (value === null || text === "") return value;
    return kept.get(`${member}: ${text}`) ?? kept.get(text) ?? sealed(text);
  };
  const sealUrl = (url: string): Sealed | string => (holdsUrlSecret(url) ? { ...sealed(url), url: true } : url);
  return mapped(json, (member, value) => {
    if (isSealed(value)) throw reserved(member);
    if (isSecret(member)) return seal(member, value);
    return isUrl(member, value) ? sealUrl(urls.restored(member, value)) : undefined;
  });
}

/** In one record: sealing costs the process more than anything else that is done with a body. */
const MAX_SECRETS = 1_000;
const reserved = (member: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The member ${member} is an object with the reserved member sealed.` }, { param: member });

/** Stored secrets by their masks, alone and with their member's name. */
function shownSecrets(before: Json, vault: Vault): ReadonlyMap<string, Sealed> {
  const shown = new Map<string, Sealed>();
  eachMember(before, (member, value) => {
    if (!isSealed(value) || value.url) return;
    const mask = maskSecret(vault.open(value.sealed));
    shown.set(mask, value).set(`${member}: ${mask}`, value);
  });
  return shown;
}

/** The JSON with its secrets, for use. */
export const openSecrets = (json: Json, vault: Pick<Vault, "open">): Json =>
  mapped(json, (_, value) => (isSealed(value) ? vault.open(value.sealed) : undefined));

/** The JSON with its secrets masked, for answers. URLs that were stored before they were sealed are shown like the others. */
export const maskSecrets = (json: Json, vault: Pick<Vault, "open">): Json =>
  mapped(json, (member, value) => {
    if (isSealed(value)) return value.url ? maskUrl(vault.open(value.sealed)) : maskSecret(vault.open(value.sealed));
    return isUrl(member, value) ? maskUrl(value) : undefined;
  });

/* ── parameters of checks ────────────────────────────────────────────────────────────────────────────────────── */

export interface SealChecks {
  readonly catalog: Pick<Catalog, "check">;
  readonly vault: Vault;
  /** Members that are secret beside those a check's own schema marks. */
  readonly isSecret?: (member: string) => boolean;
}

/**
 * The checks' parameters, in order, with what their schemas mark `secret: true` and the secrets of URLs sealed. A secret
 * that is sent back as it was shown keeps its value out of `before`, as long as it goes where it went: throws
 * REQUEST_INVALID when the check now names another address, or the secret stands in another member.
 */
export function sealChecks(checks: readonly CheckToSave[], before: readonly WrittenCheck[], how: SealChecks): Json[] {
  const stored = new StoredChecks(before, how.catalog, how.vault);
  return checks.map((check) => {
    const { id, parameters = {} } = check;
    const marked = how.catalog.check(id)?.secrets ?? [];
    const isSecret = (member: string): boolean => marked.includes(member) || (how.isSecret?.(member) ?? false);
    const shownAs = stored.take(check, marked);
    const next = sealSecrets(parameters, isSecret, how.vault, shownAs);
    const uses = (of: Json) => secretUsesIn(of, marked, how.vault);
    refuseMovedSecrets(uses(next), uses(shownAs), (moved) => refusal(check, moved));
    return next;
  });
}

const refusal = ({ id, at }: CheckToSave, { renamed }: MovedSecret<SecretUse>): GatewayError => {
  const whither = renamed ? "read from another member" : "sent to another address";
  return new GatewayError(
    "REQUEST_INVALID",
    { what: `A stored secret of the check ${id} is not ${whither}: give it again in ${at}.` },
    { param: at },
  );
};
