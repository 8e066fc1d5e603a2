import type { Vault } from "./capability.ts";
import { GatewayError } from "./errors.ts";
import { maskSecret } from "./mask-secret.ts";

/*
 * The form of a gateway key: letters and digits (specification E3), of which the last are a keyed check of those before.
 * So this deployment tells its own keys from any other text without asking a database, and nobody else can make one
 * that passes. It proves nothing else: a key is looked up by its digest like every other.
 */
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
/** 250 bits of chance. */
const CHANCE_LENGTH = 42;
const CHECK_LENGTH = 6;
/** Without the prefix that a deployment may have set. */
export const GATEWAY_KEY_LENGTH = CHANCE_LENGTH + CHECK_LENGTH;
/** The longest prefix: what is longer than all that is no key. */
export const MAX_PREFIX = 32;
const FORM = /^[A-Za-z0-9]{48,80}$/;
/** The largest multiple of the alphabet's length that a byte can hold: bytes above it would favour some letters. */
const FAIR = 256 - (256 % ALPHABET.length);

/** Also of keys that an operator chose. Anything else (a JWT has dots) is another policy's kind of key. */
const CHOSEN_FORM = /^[A-Za-z0-9_-]{1,256}$/;
/** Can this text be a gateway key at all, whoever made it? */
export const hasKeyForm = (text: string): boolean => CHOSEN_FORM.test(text);

type Digest = Pick<Vault, "digest">;

/** A new key, with the prefix of the deployment. */
export const newGatewayKey = (vault: Digest & Pick<Vault, "keyPrefix">): string => (vault.keyPrefix ?? "") + newSecretText(vault);

/** As a key is shown: its prefix is no secret. */
export function maskGatewayKey(key: string, { keyPrefix = "" }: Pick<Vault, "keyPrefix">): string {
  const isOurs = keyPrefix !== "" && key.startsWith(keyPrefix) && key.length === keyPrefix.length + GATEWAY_KEY_LENGTH;
  return isOurs ? keyPrefix + maskSecret(key.slice(keyPrefix.length)) : maskSecret(key);
}

/** What nobody guesses, with the check in it: a key, or the token of a link. */
export function newSecretText(vault: Digest): string {
  let chance = "";
  while (chance.length < CHANCE_LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(CHANCE_LENGTH)))
      if (byte < FAIR && chance.length < CHANCE_LENGTH) chance += ALPHABET[byte % ALPHABET.length];
  }
  return chance + checkOf(chance, vault);
}

/** Was this text made by `newGatewayKey` of this deployment, with whichever prefix? Wrong once in 56 billion texts of this length. */
export const isGatewayKey = (text: string, vault: Digest): boolean =>
  FORM.test(text) && text.slice(-CHECK_LENGTH) === checkOf(text.slice(-GATEWAY_KEY_LENGTH, -CHECK_LENGTH), vault);

/** A scheme and a key; what is longer is a vendor's. */
const MAX_GIVEN = 256;
const WORDS = /[A-Za-z0-9]+/g;
/** Throws where a credential of a vendor's is wanted and this text is a key of this deployment, or has one behind a scheme. */
export function refuseGatewayKey(text: string, vault: Digest, param: string): void {
  if (text.length > MAX_GIVEN) return;
  for (const [word] of text.matchAll(WORDS)) if (isGatewayKey(word, vault)) throw gatewayKeyGiven(param);
}
export const gatewayKeyGiven = (param: string): GatewayError =>
  new GatewayError(
    "REQUEST_INVALID",
    { what: `${param} is a key of the gateway, which never leaves it: it is taken out of every request. Give the vendor's own.` },
    { param },
  );

/** The first 48 bits of a keyed hash, written with the alphabet. */
function checkOf(chance: string, vault: Digest): string {
  let left = Number.parseInt(vault.digest(`key check ${chance}`).slice(0, 12), 16);
  let check = "";
  for (let i = 0; i < CHECK_LENGTH; i += 1) {
    check += ALPHABET[left % ALPHABET.length];
    left = Math.floor(left / ALPHABET.length);
  }
  return check;
}
