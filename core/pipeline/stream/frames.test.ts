import { describe, expect, test } from "bun:test";
import type { Frame, FrameFormat } from "#contract";
import { event } from "../../../tests/providers/bedrock-eventstream.ts";
import { frameReader } from "./frames.ts";

const MB = 1024 * 1024;
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

test("a long event is read in time that grows with its length", () => {
  const reader = frameReader("sse");
  const startedAt = performance.now();
  expect(reader.push(bytes("data: "))).toEqual([]);
  for (let i = 0; i < 1_900; i += 1) expect(reader.push(bytes("x".repeat(16_384)))).toEqual([]);
  const [frame] = reader.push(bytes("\n\n"));
  expect(frame?.data.length).toBe(1_900 * 16_384);
  expect(performance.now() - startedAt).toBeLessThan(3_000);
});
test("a line that never ends is given up before it fills the memory", () => {
  const reader = frameReader("json-lines");
  const piece = bytes("x".repeat(MB));
  expect(() => {
    for (let i = 0; i < 70; i += 1) reader.push(piece);
  }).toThrow("32 MB");
});
test("a binary message of an impossible size is refused", () => {
  for (const size of [0, 11, 0xffffffff]) {
    const head = new Uint8Array(12);
    new DataView(head.buffer).setUint32(0, size);
    expect(() => frameReader("aws-eventstream").push(head)).toThrow("size");
  }
});

const SSE = `: a comment\n\nevent: größe\ndata: {"a":"é€😀"}\n\ndata:two\ndata: lines\n\nevent: ping\n\ndata: [DONE]\n\ndata: unended 漢`;
const WIRES: readonly (readonly [name: string, format: FrameFormat, wire: Uint8Array, data: readonly string[]])[] = [
  ["server-sent events", "sse", bytes(SSE), ['{"a":"é€😀"}', "two\nlines", "[DONE]", "unended 漢"]],
  ["server-sent events, CR LF", "sse", bytes(SSE.replaceAll("\n", "\r\n")), ['{"a":"é€😀"}', "two\nlines", "[DONE]", "unended 漢"]],
  ["lines of JSON", "json-lines", bytes('{"a":"é€😀"}\n\n"漢"\n[1]'), ['{"a":"é€😀"}', '"漢"', "[1]"]],
  ["lines of JSON, CR LF", "json-lines", bytes('{"a":"é€😀"}\r\n\r\n"漢"\r\n[1]\r'), ['{"a":"é€😀"}', '"漢"', "[1]"]],
  [
    "a binary event stream",
    "aws-eventstream",
    Buffer.concat([event("größe", { a: "é€😀" }), event("b", {}), event("c", { b: "漢" })]),
    ['{"a":"é€😀"}', "{}", '{"b":"漢"}'],
  ],
];
function framesIn(format: FrameFormat, pieces: readonly Uint8Array[]): readonly Frame[] {
  const reader = frameReader(format);
  return [...pieces.flatMap((piece) => reader.push(piece)), ...reader.end()];
}

describe.each(WIRES)("%s", (_, format, wire, data) => {
  const whole = framesIn(format, [wire]);
  const places = [...wire.keys()];
  test("hold these", () => expect(whole.map((frame) => frame.data)).toEqual([...data]));
  test("say the same in two pieces, in three and in single bytes, wherever they are cut", () => {
    for (const at of places)
      for (const to of places.slice(at, at + 40))
        expect(framesIn(format, [wire.subarray(0, at), wire.subarray(at, to), wire.subarray(to)])).toEqual([...whole]);
    expect(
      framesIn(
        format,
        places.map((at) => wire.subarray(at, at + 1)),
      ),
    ).toEqual([...whole]);
  });
  test("are there with their last byte, however that came", () => {
    const reader = frameReader(format);
    let came = 0;
    for (const at of places) {
      came += reader.push(wire.subarray(at, at + 1)).length;
      expect([at, came]).toEqual([at, frameReader(format).push(wire.subarray(0, at + 1)).length]);
    }
  });
});
