import { LRUCache } from "lru-cache";

/**
 * Values that must not be shown, and their removal from any text. The cost of a text grows with its length and not with
 * the number of secrets: a gateway of thousands of tenants knows thousands of provider keys.
 */
export interface Hidden {
  hide(secret: string): void;
  redact(text: string): string;
}

/** A shorter value would blot out ordinary words. */
const MIN_HIDDEN = 8;
/** Those that were not given for longest are forgotten first; far more secrets than this in one process means per-user credentials. */
const MAX_HIDDEN = 10_000;
const REDACTED = "[redacted]";
/** Room for one mark per pair of first characters (their low bytes). */
const PAIRS = 65_536;

export function hiddenSecrets(most = MAX_HIDDEN): Hidden {
  /** Secrets by their beginning, longest first, so that one inside another does not leave a rest. */
  const byStart = new Map<string, string[]>();
  const pairs = new Uint8Array(PAIRS);

  const forget = (secret: string): void => {
    const start = startOf(secret);
    const alike = byStart.get(start) ?? [];
    if (alike.length > 1) alike.splice(alike.indexOf(secret), 1);
    else byStart.delete(start); // its mark stays: it costs a look-up, and hides nothing wrongly
  };
  const secrets = new LRUCache<string, true>({ max: most, dispose: (_, secret) => forget(secret) });
  const remember = (secret: string): void => {
    if (secret.length < MIN_HIDDEN || secrets.get(secret)) return;
    secrets.set(secret, true);
    const start = startOf(secret);
    const alike = byStart.get(start);
    if (alike) alike.splice(placeAmong(alike, secret.length), 0, secret);
    else byStart.set(start, [secret]);
    pairs[pairAt(secret, 0)] = 1;
  };
  const secretAt = (text: string, at: number): string | undefined =>
    pairs[pairAt(text, at)] === 1 ? byStart.get(text.slice(at, at + MIN_HIDDEN))?.find((secret) => text.startsWith(secret, at)) : undefined;

  return {
    hide(secret) {
      remember(secret);
      remember(JSON.stringify(secret).slice(1, -1)); // as it looks inside a JSON line, when that differs
    },
    redact(text) {
      let shown = "";
      let from = 0;
      for (let at = 0; at + MIN_HIDDEN <= text.length; at += 1) {
        const secret = secretAt(text, at);
        if (secret === undefined) continue;
        shown += text.slice(from, at) + REDACTED;
        from = at + secret.length;
        at = from - 1;
      }
      return from === 0 ? text : shown + text.slice(from);
    },
  };
}

/** Where a secret of this length stands among others, the longest first: found without looking at all of them. */
function placeAmong(secrets: readonly string[], length: number): number {
  let [from, to] = [0, secrets.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if ((secrets[middle]?.length ?? 0) >= length) from = middle + 1;
    else to = middle;
  }
  return from;
}
const startOf = (secret: string): string => secret.slice(0, MIN_HIDDEN);
const pairAt = (text: string, at: number): number => ((text.charCodeAt(at) & 255) << 8) | (text.charCodeAt(at + 1) & 255);
