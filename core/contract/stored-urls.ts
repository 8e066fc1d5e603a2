import type { Vault } from "./capability.ts";
import { GatewayError } from "./errors.ts";
import type { Json } from "./json.ts";
import { eachMember, isUrl, openUrls } from "./sealed-json.ts";
import { holdsHidden, maskUrl, placeOfUrl, restoreUrl } from "./secret-url.ts";

interface StoredUrl {
  readonly url: string;
  taken: boolean;
}

/**
 * The URLs of a stored record, to give hidden parts that are sent back their values: by member and by where they lead, so
 * that each is found without looking at all the others. Each is taken once while others are left: two may look alike.
 */
export class StoredUrls {
  readonly #shownAs = new Map<string, StoredUrl[]>();
  readonly #leadingTo = new Map<string, StoredUrl[]>();

  constructor(before: Json, vault: Pick<Vault, "open">) {
    eachMember(openUrls(before, vault), (member, value) => {
      if (!isUrl(member, value)) return;
      const stored: StoredUrl = { url: value, taken: false };
      put(this.#shownAs, `${member} ${maskUrl(value)}`, stored);
      put(this.#leadingTo, `${member} ${placeOfUrl(value)}`, stored);
    });
  }

  /** The URL with its hidden parts; throws REQUEST_INVALID when a part is not stored for it there. */
  restored(member: string, written: string): string {
    if (!holdsHidden(written)) return written;
    const among = [...fresh(this.#shownAs, `${member} ${written}`), ...fresh(this.#leadingTo, `${member} ${placeOfUrl(written)}`)];
    for (const stored of among) {
      const restored = restoreUrl(written, stored.url);
      if (restored === undefined) continue;
      stored.taken = true;
      return restored;
    }
    throw hiddenPart(member);
  }
}

/** Of URLs that look alike or lead to the same place, so many are compared. */
const COMPARED = 16;

/** Those not taken yet, in their order; when none is left, one that was. */
function fresh(index: ReadonlyMap<string, StoredUrl[]>, key: string): readonly StoredUrl[] {
  const list = index.get(key) ?? [];
  while (list.length > 1 && list[0]?.taken) list.shift();
  return list.slice(0, COMPARED);
}
function put(index: Map<string, StoredUrl[]>, key: string, url: StoredUrl): void {
  const list = index.get(key);
  if (list) list.push(url);
  else index.set(key, [url]);
}

const hiddenPart = (member: string): GatewayError =>
  new GatewayError(
    "REQUEST_INVALID",
    { what: `A part of the URL in the member ${member} is ***, and none is stored for it at that address: give it again.` },
    { param: member },
  );
