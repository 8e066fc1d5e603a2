import { expect, test } from "bun:test";
import { OptionalKind, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { CheckFault, GatewayError } from "#contract";
import { bytesFrames, chunksOf, framesOfBytes, jsonFrame, textFrames, textOf } from "../frames.ts";
import { MessageReader, MessageWriter } from "./messages.ts";
import { readSchema, writtenSchema } from "./schema-wire.ts";
import { errorFrom, thrownOf } from "./thrown.ts";

test("messages that are sent at once arrive one after the other, whole, however the bytes are cut", async () => {
  const sent: Uint8Array[] = [];
  const writer = new MessageWriter<{ readonly n: number }>(async (bytes) => void sent.push(bytes));
  const text = `${"x".repeat(300_000)}😀\ud83d`;
  const bytes = new Uint8Array(200_000).fill(7);
  const attached = [
    { frames: textFrames(text), count: chunksOf(text) },
    { frames: [], count: 0 },
    { frames: bytesFrames(bytes), count: framesOfBytes(bytes) },
  ];
  await Promise.all([
    writer.send({ n: 1 }, attached),
    writer.send({ n: 2 }),
    writer.send({ n: 3 }, [{ frames: [jsonFrame("4")], count: 1 }]),
  ]);
  const all = Buffer.concat(sent);
  for (const size of [4_096, 1_000_003]) {
    const reader = new MessageReader<{ readonly n: number }>();
    const got = [];
    for (let at = 0; at < all.length; at += size) got.push(...reader.push(all.subarray(at, at + size)));
    expect(got.map(({ head }) => head.n)).toEqual([1, 2, 3]);
    const [texts = [], none, parts = []] = got[0]?.attached ?? [];
    expect(texts.map(textOf).join("") === text).toBe(true);
    expect(none).toEqual([]);
    expect(Buffer.concat(parts.map((part) => part.bytes)).equals(bytes)).toBe(true);
  }
});

test("what is no message is refused, and so is a frame that is too long, or a message without end", () => {
  const endless = [jsonFrame('{"head":{},"lists":[1000000]}'), ...Array.from({ length: 20 }, () => jsonFrame("1".repeat(100)))];
  expect(() => [...new MessageReader(1_000, 1_000).push(Buffer.concat(endless))]).toThrow("without end");
  expect(() => [...new MessageReader().push(jsonFrame('{"other":1}'))]).toThrow("no message");
  expect(() => [...new MessageReader(10).push(jsonFrame('{"head":{},"lists":[]}'))]).toThrow("no frame");
});

test("lists beyond those that a message has, or that are no counts, are refused before a frame of them is taken", () => {
  for (const lists of [Array.from({ length: 200_000 }, () => 1), [1, 1, 1, 1], [-1], [0.5], ["1"], [null]])
    expect(() => [...new MessageReader().push(jsonFrame(JSON.stringify({ head: {}, lists })))]).toThrow("no message");
  expect(() => [...new MessageReader().push(jsonFrame('{"head":null,"lists":[]}'))]).toThrow("no message");
});

test("frames without a byte in them have their weight: millions of them are a message without end", () => {
  const reader = new MessageReader(1_000, 1_000_000);
  const empty = Buffer.concat(Array.from({ length: 10_000 }, () => jsonFrame("")));
  expect([...reader.push(jsonFrame('{"head":{},"lists":[0,1000000,0]}'))]).toEqual([]);
  expect(() => [...reader.push(empty)]).toThrow("without end");
});

test("lists that hold nothing are skipped, wherever they stand", () => {
  const [message] = [
    ...new MessageReader().push(Buffer.concat([jsonFrame('{"head":{},"lists":[0,2,0]}'), jsonFrame("1"), jsonFrame("2")])),
  ];
  expect(message?.attached.map((list) => list.map(textOf))).toEqual([[], ["1", "2"], []]);
});

test("a schema is the same schema on the other side: optional members, defaults and limits", () => {
  const schema = Type.Object(
    {
      words: Type.Array(Type.String({ minLength: 2 }), { default: ["ab"] }),
      level: Type.Optional(Type.Union([Type.Literal("low"), Type.Literal("high")])),
    },
    { additionalProperties: false },
  );
  const read = readSchema(JSON.parse(JSON.stringify(writtenSchema(schema))));
  expect(read).toEqual(schema);
  expect(read["properties"].level[OptionalKind]).toBe("Optional");
  const accepts = TypeCompiler.Compile(read);
  expect(
    [{ words: ["ab"] }, { words: ["ab"], level: "low" }, { words: ["a"] }, { words: [], other: 1 }].map((value) => accepts.Check(value)),
  ).toEqual([true, true, false, false]);
});

test("what is thrown on one side is thrown as the same on the other", () => {
  const again = (thrown: unknown): Error => errorFrom(JSON.parse(JSON.stringify(thrownOf(thrown))));
  expect(again(new CheckFault("auth", "no"))).toMatchObject({ errorClass: "auth", message: "no" });
  const gateway = new GatewayError("UPSTREAM_UNREACHABLE", { provider: "acme", why: "refused" });
  expect(again(gateway)).toMatchObject({ code: "UPSTREAM_UNREACHABLE", message: gateway.message });
  expect(again("only a text").message).toBe("only a text");
});
