import { expect, test } from "bun:test";
import { frameReader } from "./frames.ts";

const MB = 1024 * 1024;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("a long event is read in time that grows with its length", () => {
  const reader = frameReader("sse");
  const startedAt = performance.now();
  expect(reader.push(bytes("data: "))).toEqual([]);
  for (let i = 0; i < 3_000; i += 1) expect(reader.push(bytes("x".repeat(16_384)))).toEqual([]);
  const [frame] = reader.push(bytes("\n\n"));
  expect(frame?.data.length).toBe(3_000 * 16_384);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});
test("a line that never ends is given up before it fills the memory", () => {
  const reader = frameReader("json-lines");
  const piece = bytes("x".repeat(MB));
  expect(() => {
    for (let i = 0; i < 70; i += 1) reader.push(piece);
  }).toThrow("64 MB");
});
test("a binary message of an impossible size is refused", () => {
  for (const size of [0, 11, 0xffffffff]) {
    const head = new Uint8Array(12);
    new DataView(head.buffer).setUint32(0, size);
    expect(() => frameReader("aws-eventstream").push(head)).toThrow("size");
  }
});
