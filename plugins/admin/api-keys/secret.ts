const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789";
const LENGTH = 48;
/** The largest multiple of the alphabet's length that a byte can hold: bytes above it would favour some letters. */
const FAIR = 256 - (256 % ALPHABET.length);

/** A new gateway key: strictly alphanumeric (specification E3), 285 bits of chance. */
export function newSecret(): string {
  let secret = "";
  while (secret.length < LENGTH) {
    for (const byte of crypto.getRandomValues(new Uint8Array(LENGTH)))
      if (byte < FAIR && secret.length < LENGTH) secret += ALPHABET[byte % ALPHABET.length];
  }
  return secret;
}
