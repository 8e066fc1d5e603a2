import type { Catalog, Vault } from "./capability.ts";
import type { WrittenCheck } from "./judge-check.ts";
import type { Json } from "./json.ts";
import { maskSecret } from "./mask-secret.ts";
import type { SecretUse } from "./moved-secret.ts";
import { eachMember, isSealed, isUrl, mapped, openUrls } from "./sealed-json.ts";
import { holdsHidden, holdsUrlSecret, placeOfUrl } from "./secret-url.ts";
import { StoredUrls } from "./stored-urls.ts";

/** A check about to be saved. */
export interface CheckToSave extends WrittenCheck {
  /** Where it stands in the request, for errors. */
  readonly at: string;
}
interface StoredCheck {
  readonly parameters: Json;
  readonly address: string;
  taken: boolean;
}

/** Of checks that look alike, so many are compared. */
const COMPARED = 16;

/**
 * Stored checks by what answers show of their secrets and by where they call, so that the one that a check was shown as is
 * found without looking at all the others. Each is found once: two may look alike. Whether its secrets may be kept is not
 * decided here.
 */
export class StoredChecks {
  /** Shown secrets, without where they go: one that is sent back from elsewhere has been moved. */
  readonly #shown = new Map<string, StoredCheck[]>();
  /** Shown secrets with where they go. */
  readonly #there = new Map<string, StoredCheck[]>();
  /** URLs that hold a secret, by where they lead. */
  readonly #urls = new Map<string, StoredCheck[]>();
  readonly #vault: Pick<Vault, "open">;

  constructor(before: readonly WrittenCheck[], catalog: Pick<Catalog, "check">, vault: Pick<Vault, "open">) {
    this.#vault = vault;
    for (const { id, parameters = {} } of before) this.#add(id, parameters, catalog.check(id)?.secrets ?? []);
  }

  #add(id: string, parameters: Json, marked: readonly string[]): void {
    const open = openUrls(parameters, this.#vault);
    const stored: StoredCheck = { parameters, address: addresses(open, marked), taken: false };
    const place = placesOf(open, marked);
    eachMember(parameters, (member, value) => {
      if (!isSealed(value)) return;
      if (value.url) return put(this.#urls, tokenOf(id, member, placeOfUrl(this.#vault.open(value.sealed))), stored);
      const token = tokenOf(id, member, maskSecret(this.#vault.open(value.sealed)));
      put(this.#shown, token, stored);
      put(this.#there, token + place, stored);
    });
    eachMember(parameters, (member, value) => {
      if (isUrl(member, value) && holdsUrlSecret(value)) put(this.#urls, tokenOf(id, member, placeOfUrl(value)), stored);
    });
  }

  /** The stored parameters that this check was shown with; none when it shows nothing of any. */
  take(check: CheckToSave, marked: readonly string[]): Json {
    const { id, parameters = {} } = check;
    const secrets: string[] = [];
    const urls: string[] = [];
    eachMember(parameters, (member, value) => {
      if (typeof value === "string" && left(this.#shown, tokenOf(id, member, value)).length > 0) secrets.push(tokenOf(id, member, value));
      if (isUrl(member, value) && holdsHidden(value)) urls.push(tokenOf(id, member, placeOfUrl(value)));
    });
    const place = placesOf(parameters, marked);
    const among =
      secrets.length > 0 ? secrets.flatMap((token) => left(this.#there, token + place)) : urls.flatMap((token) => left(this.#urls, token));
    const found = this.#nearest(parameters, marked, among) ?? secrets.flatMap((token) => left(this.#shown, token))[0];
    if (found) found.taken = true;
    return found?.parameters ?? {};
  }

  /** The first that calls what this one calls; else the first that has the hidden parts of its URLs. */
  #nearest(parameters: Json, marked: readonly string[], among: readonly StoredCheck[]): StoredCheck | undefined {
    let near: StoredCheck | undefined;
    for (const stored of among) {
      const restored = this.#restored(parameters, stored);
      if (restored === undefined) continue;
      if (addresses(restored, marked) === stored.address) return stored;
      near ??= stored;
    }
    return near;
  }

  /** The check's parameters with the hidden parts of their URLs; `undefined` when they are not stored there. */
  #restored(parameters: Json, stored: StoredCheck): Json | undefined {
    const urls = new StoredUrls(stored.parameters, this.#vault);
    try {
      return mapped(parameters, (member, value) => (isUrl(member, value) ? urls.restored(member, value) : undefined));
    } catch {
      return undefined; // the sealing of the check refuses it, in a sentence for the client
    }
  }
}

const tokenOf = (id: string, member: string, shown: string): string => JSON.stringify([id, member, shown]);

function put(index: Map<string, StoredCheck[]>, key: string, check: StoredCheck): void {
  const list = index.get(key);
  if (!list) index.set(key, [check]);
  else if (list.at(-1) !== check) list.push(check);
}
function left(index: ReadonlyMap<string, StoredCheck[]>, key: string): readonly StoredCheck[] {
  const list = index.get(key) ?? [];
  while (list[0]?.taken) list.shift();
  return list.slice(0, COMPARED).filter(({ taken }) => !taken);
}

/** Parameters that say where a check calls, by their name or by what they hold. */
const addressesIn = (parameters: Json, marked: readonly string[]): readonly (readonly [string, unknown])[] =>
  Object.entries(parameters)
    .filter(([member, value]) => !marked.includes(member) && (ADDRESS.test(member) || JSON.stringify(value).includes("://")))
    .sort(([a], [b]) => (a < b ? -1 : 1));
const ADDRESS = /url|host|domain|endpoint|region/i;
const addresses = (parameters: Json, marked: readonly string[]): string => JSON.stringify(addressesIn(parameters, marked));

/** The secrets of a check, and where they go with it; those of URLs are part of where they lead. */
export function secretUsesIn(parameters: Json, marked: readonly string[], vault: Pick<Vault, "open">): readonly SecretUse[] {
  const open = openUrls(parameters, vault);
  const place = Object.fromEntries(addressesIn(open, marked));
  const uses: SecretUse[] = [];
  eachMember(open, (member, value) => {
    if (isSealed(value)) uses.push({ sealed: value.sealed, member, place });
  });
  return uses;
}

/** The same, of URLs only where they lead: all of that is shown. */
const placesOf = (parameters: Json, marked: readonly string[]): string =>
  addresses(
    mapped(parameters, (member, value) => (isUrl(member, value) ? placeOfUrl(value) : undefined)),
    marked,
  );
