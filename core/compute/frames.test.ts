import { expect, test } from "bun:test";
import { chunksOf, FrameReader, jsonFrame, textFrames, textOf } from "./frames.ts";

const TEXTS = [
  "",
  "abc",
  "é\u00ff",
  "a lone \ud83d, a whole 😀",
  "\u0000".repeat(10),
  "x".repeat(400_000),
  "😀".repeat(200_000),
  `${"x".repeat(131_071)}😀`,
];

test("a text arrives as it was sent, code unit by code unit, however the bytes are cut", () => {
  for (const text of TEXTS) {
    const sent = [...textFrames(text)];
    expect(sent.length).toBe(chunksOf(text));
    for (const size of [7, 4_096, 1_000_003]) {
      if (size === 7 && text.length > 1_000) continue;
      const reader = new FrameReader();
      const bytes = Buffer.concat([jsonFrame('{"a":"é"}'), ...sent, jsonFrame("1")]);
      const got = [];
      for (let at = 0; at < bytes.length; at += size)
        for (const frame of reader.push(bytes.subarray(at, at + size))) got.push(textOf(frame));
      expect([got[0], got.slice(1, -1).join("") === text, got.at(-1)]).toEqual(['{"a":"é"}', true, "1"]);
    }
  }
});

test("what is no frame is refused", () => {
  expect(() => [...new FrameReader().push(Buffer.from("hello there"))]).toThrow("no frame");
  expect(() => [...new FrameReader().push(Buffer.from([0, 255, 255, 255, 255]))]).toThrow("no frame");
});

test("a frame in a hundred thousand pieces is put together once", () => {
  const frame = jsonFrame("x".repeat(1_000_000));
  const reader = new FrameReader();
  const startedAt = performance.now();
  let found = 0;
  for (let at = 0; at < frame.length; at += 10) found += [...reader.push(frame.subarray(at, at + 10))].length;
  expect(found).toBe(1);
  expect(performance.now() - startedAt).toBeLessThan(2_000);
});
