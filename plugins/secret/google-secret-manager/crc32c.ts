const POLYNOMIAL = 0x82f63b78; // Castagnoli's, its bits reversed
const TABLE = Uint32Array.from({ length: 256 }, (_, byte) => {
  let left = byte;
  for (let bit = 0; bit < 8; bit += 1) left = left & 1 ? (left >>> 1) ^ POLYNOMIAL : left >>> 1;
  return left;
});

/** CRC-32C of RFC 3720, by which Google tells whether a secret arrived whole. */
export function crc32c(bytes: Uint8Array): number {
  let left = 0xffffffff;
  for (const byte of bytes) left = (TABLE[(left ^ byte) & 0xff] ?? 0) ^ (left >>> 8);
  return (left ^ 0xffffffff) >>> 0;
}
