import type { Catalog, Vault } from "./capability.ts";
import { GatewayError } from "./errors.ts";
import type { WrittenCheck } from "./judge-check.ts";
import type { Json } from "./json.ts";
import { maskSecret } from "./mask-secret.ts";
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
 * found without looking at all the others. Each is answered for once: two may look alike.
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

  /** The stored parameters that this check was shown with; throws when it shows a secret of theirs and calls elsewhere. */
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
      secrets.length > 0 ? secrets.map((token) => left(this.#there, token + place)) : urls.map((token) => left(this.#urls, token));
    const found = this.#same(parameters, marked, among.flat(), secrets.length > 0);
    if (!found && secrets.length > 0) throw moved(check);
    if (found) found.taken = true;
    return found?.parameters ?? {};
  }

  /** The first that calls what this one calls; where no secret would go along, one of which it holds hidden parts will do. */
  #same(parameters: Json, marked: readonly string[], among: readonly StoredCheck[], strict: boolean): StoredCheck | undefined {
    let near: StoredCheck | undefined;
    for (const stored of among) {
      const restored = this.#restored(parameters, stored);
      if (restored === undefined) continue;
      if (addresses(restored, marked) === stored.address) return stored;
      near ??= stored;
    }
    return strict ? undefined : near;
  }

  /** The check's parameters with the hidden parts of their URLs; `undefined` when they are not stored there. */
  #restored(parameters: Json, stored: StoredCheck): Json | undefined {
    const urls = new StoredUrls(stored.parameters, this.#vault);
    try {
      return mapped(parameters, (member, value) => (isUrl(member, value) ? urls.restored(member, value) : undefined));
    } catch {
      return undefined; // said to the client where it matters, by the sealing
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
const addresses = (parameters: Json, marked: readonly string[]): string =>
  JSON.stringify(
    Object.entries(parameters)
      .filter(([member, value]) => !marked.includes(member) && (ADDRESS.test(member) || JSON.stringify(value).includes("://")))
      .sort(([a], [b]) => (a < b ? -1 : 1)),
  );
const ADDRESS = /url|host|domain|endpoint|region/i;

/** The same, of URLs only where they lead: all of that is shown. */
const placesOf = (parameters: Json, marked: readonly string[]): string =>
  addresses(
    mapped(parameters, (member, value) => (isUrl(member, value) ? placeOfUrl(value) : undefined)),
    marked,
  );

const moved = ({ id, at }: CheckToSave): GatewayError =>
  new GatewayError(
    "REQUEST_INVALID",
    { what: `A stored secret of the check ${id} is not sent to another address: give it again in ${at}.` },
    { param: at },
  );
