import { expect, test } from "bun:test";
import { received } from "./utf8.ts";

const pieces = (bytes: Uint8Array, size: number): Uint8Array[] =>
  Array.from({ length: Math.ceil(bytes.length / size) }, (_, at) => bytes.subarray(at * size, (at + 1) * size));
/** What a decoder makes of all of it. */
const decoded = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

test.each([
  ["UTF-8", [0x61, 0xe6, 0xbc, 0xa2]],
  ["a byte order mark", [0xef, 0xbb, 0xbf, 0x61]],
  ["no UTF-8", [0xff, 0x61, 0xc3]],
  ["half a character", [0x61, 0xe6, 0xbc]],
])("a text is the same whether it is kept as a text or as bytes: %s", async (_, unit) => {
  for (const times of [1, 1_000, 600_000]) {
    const bytes = new Uint8Array(Array.from({ length: times }, () => unit).flat());
    for (const size of [bytes.length, 99_991]) {
      const text = await received(pieces(bytes, size));
      expect(typeof text).toBe(bytes.length > 1024 * 1024 ? "object" : "string");
      expect(typeof text === "string" ? text : decoded(text)).toBe(decoded(bytes));
    }
  }
});
