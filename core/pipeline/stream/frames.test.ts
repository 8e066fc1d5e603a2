import { describe, expect, test } from "bun:test";
import type { Frame, FrameFormat } from "#contract";
import { event, message } from "../../../tests/providers/bedrock-eventstream.ts";
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

/** Of every type: its number, then its value. */
const ALL_HEADERS: Readonly<Record<string, string | Uint8Array>> = {
  true: Uint8Array.of(0),
  false: Uint8Array.of(1),
  byte: Uint8Array.of(2, 255),
  short: Uint8Array.of(3, 1, 2),
  integer: Uint8Array.of(4, 1, 2, 3, 4),
  long: Uint8Array.of(5, 1, 2, 3, 4, 5, 6, 7, 8),
  bytes: Uint8Array.of(6, 0, 3, 1, 2, 3),
  text: "größe",
  time: Uint8Array.of(8, 0, 0, 1, 2, 3, 4, 5, 6),
  uuid: Uint8Array.of(9, ...new Uint8Array(16).fill(7)),
};
const eventsIn = (wire: Uint8Array): readonly Frame[] => frameReader("aws-eventstream").push(wire);
const checksumsOf = (wire: Uint8Array): Uint8Array => {
  const view = new DataView(wire.buffer, wire.byteOffset, wire.length);
  view.setUint32(8, Bun.hash.crc32(wire.subarray(0, 8)));
  view.setUint32(wire.length - 4, Bun.hash.crc32(wire.subarray(0, -4)));
  return wire;
};

describe("a binary message", () => {
  test("may have headers of every type before and behind the one that names it", () => {
    const named = message({ ...ALL_HEADERS, ":event-type": "delta", last: Uint8Array.of(0) }, "{}");
    expect(eventsIn(named)).toEqual([{ event: "delta", data: "{}" }]);
    expect(eventsIn(message({ ...ALL_HEADERS, ":exception-type": "gone" }, "{}"))).toEqual([{ event: "gone", data: "{}" }]);
  });
  test("whose name is no text has none", () => {
    expect(eventsIn(message({ ":event-type": Uint8Array.of(4, 0, 0, 0, 7) }, "{}"))).toEqual([{ event: "", data: "{}" }]);
  });
  test("without headers, or without a payload, is one all the same", () => {
    expect(eventsIn(Buffer.concat([message({}, "{}"), message({}, ""), event("a", {})])).map(({ data }) => data)).toEqual(["{}", "", "{}"]);
  });
  test("is refused when any byte of it was changed, and at the latest when its last byte is there", () => {
    const sound = Uint8Array.from(event("contentBlockDelta", { delta: { text: "é€😀" } }));
    expect(eventsIn(sound)).toHaveLength(1);
    for (const at of sound.keys()) {
      const changed = Uint8Array.from(sound);
      changed[at] = (changed[at] ?? 0) ^ 1;
      expect(() => eventsIn(changed), `byte ${at}`).toThrow(SyntaxError);
    }
  });
  test("whose length was changed is refused before what it says of itself is waited for", () => {
    const changed = Uint8Array.from(event("a", {}));
    changed[1] = 255; // 16 MB
    expect(() => eventsIn(changed.subarray(0, 12))).toThrow("checksum");
  });
  test("whose checksum is another's is refused as such", () => {
    const changed = Uint8Array.from(event("a", {}));
    changed.fill(0, changed.length - 4);
    expect(() => eventsIn(changed)).toThrow("an event of its stream cannot be read: The message checksum");
  });
  test("has headers of up to 128 kB, as AWS allows: more would be dear to read", () => {
    const value = (size: number): string => "x".repeat(size);
    const most = { a: value(60_000), b: value(60_000), c: value(11_057) }; // a name, a type and a length take 5 bytes
    expect(eventsIn(message(most, "{}"))).toHaveLength(1);
    expect(() => eventsIn(message({ ...most, d: value(1_000) }, "{}"))).toThrow("its headers are longer than 128 kB");
  });
  test("whose headers are longer than itself, or of a type that does not exist, is refused", () => {
    const long = Uint8Array.from(event("a", {}));
    new DataView(long.buffer).setUint32(4, long.length);
    expect(() => eventsIn(checksumsOf(long))).toThrow(SyntaxError);
    expect(() => eventsIn(message({ odd: Uint8Array.of(10) }, "{}"))).toThrow(SyntaxError);
  });
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
    Buffer.concat([event("größe", { a: "é€😀" }), message(ALL_HEADERS, "{}"), event("c", { b: "漢" })]),
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
