import { GATEWAY_KEY_LENGTH, isGatewayKey, type Vault } from "#contract";

/**
 * The gateway's own keys, as far as they are known without asking: those that were used in this process, its first ones,
 * and every one that was made with the check in it. None of them leaves in a header.
 */
export interface OwnKeys {
  /** A key that was accepted, or made, just now. */
  remember(key: string): void;
  /** Is one of them anywhere in this text: bare, behind a scheme, quoted, or inside Basic? */
  within(text: string): boolean;
}

/** The oldest are forgotten first; keys with the check are known all the same. */
const MAX_REMEMBERED = 10_000;
/** Longer ones are tokens of another issuer, and live shortly. */
const MAX_LENGTH = 256;
const MAX_CLEAN = 1_000;
const MAX_CLEAN_LENGTH = 4_096;
/** A shorter value may be a word of any header. */
const MIN_LENGTH = 16;
const PART = /[A-Za-z0-9_-]{16,}/g;
const BARE = /^[A-Za-z0-9_-]+$/;
const BASIC = /\bbasic +([A-Za-z0-9+/_-]+=*)/i;

export function ownKeys(vault: Pick<Vault, "digest">): OwnKeys {
  const remembered = new Set<string>();
  /** Texts without any, of late: the credentials of providers come with every request. */
  const clean = new Set<string>();
  const is = (text: string): boolean => remembered.has(text) || (text.length === GATEWAY_KEY_LENGTH && isGatewayKey(text, vault));
  const inParts = (text: string): boolean => (text.match(PART) ?? []).some(is);
  const inBasic = (text: string): boolean => {
    const encoded = BASIC.exec(text)?.[1];
    return encoded !== undefined && inParts(Buffer.from(encoded, "base64").toString("latin1"));
  };
  return {
    remember(key) {
      if (remembered.has(key) || key.length < MIN_LENGTH || key.length > MAX_LENGTH) return;
      if (remembered.size >= MAX_REMEMBERED) remembered.delete(remembered.values().next().value ?? "");
      remembered.add(key);
      clean.clear();
    },
    within(text) {
      if (text.length < MIN_LENGTH || clean.has(text)) return false;
      if (is(text) || (!BARE.test(text) && (inParts(text) || inBasic(text)))) return true;
      if (clean.size >= MAX_CLEAN) clean.clear();
      if (text.length <= MAX_CLEAN_LENGTH) clean.add(text);
      return false;
    },
  };
}
