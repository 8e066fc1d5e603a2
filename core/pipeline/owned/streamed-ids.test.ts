import { describe, expect, test } from "bun:test";
import type { ByteSource, Json } from "#contract";
import { TINY_DIALECT } from "#kit";
import { verifies } from "../../../tests/requirements/verifies.ts";
import { ownReply, type Reply } from "../call/reply.ts";
import { heardStream } from "./streamed-ids.ts";
import type { GoodStream } from "../stream/content.ts";

const encoder = new TextEncoder();
const event = (data: object): string => `event: x\ndata: ${JSON.stringify(data)}\n\n`;
const WIRE = `: ping\n\n${event({ type: "ping" })}${event({ type: "created", id: "resp_1" })}${event({ type: "delta", id: "resp_2" })}`;
const made = ({ type, id }: Json): readonly string[] => (type === "ping" ? [] : [String(id)]);

function sourceOf(pieces: readonly string[]): ByteSource & { readonly isCancelled: boolean } {
  const left = pieces.map((piece) => encoder.encode(piece));
  let isCancelled = false;
  return {
    read: async () => left.shift(),
    cancel: async () => void (isCancelled = true),
    get isCancelled() {
      return isCancelled;
    },
  };
}
const replyWith = (bytes: ByteSource, type = "text/event-stream"): Reply => ({
  ...ownReply(200, "", null),
  headers: { "content-type": type },
  content: { kind: "bytes", bytes },
});
const STREAM = {
  ...{ openingEvents: null, dialect: TINY_DIALECT, provider: "p", hideUsage: false, correct: null },
  encode: { id: "i", model: "m", created: 1, usage: false, strict: true },
};
const streamReply = (stream: GoodStream): Reply => ({ ...ownReply(200, "", null), content: { kind: "stream", stream } });
async function passed(reply: Reply, record: (ids: readonly string[]) => Promise<void>): Promise<string> {
  const { content } = await heardStream(reply, { made }, record);
  if (content.kind !== "bytes" || content.bytes === null) return expect.unreachable();
  let text = "";
  for (let piece = await content.bytes.read(); piece; piece = await content.bytes.read()) text += new TextDecoder().decode(piece);
  return text;
}

describe("a stream that makes something", () => {
  test(verifies("D7.owned.streams", "passes unchanged, and its first id is recorded once, wherever it is cut"), async () => {
    for (let at = 0; at <= WIRE.length; at += 1) {
      const recorded: string[] = [];
      const reply = replyWith(sourceOf([WIRE.slice(0, at), WIRE.slice(at)].filter(Boolean)));
      expect(await passed(reply, async (ids) => void recorded.push(...ids))).toBe(WIRE);
      expect(recorded).toEqual(["resp_1"]);
    }
  });
  test("gives no byte of the event to the client before its id is recorded", async () => {
    for (let at = WIRE.indexOf("created"); at < WIRE.indexOf('"resp_2"'); at += 1) {
      const source = sourceOf([WIRE.slice(0, at), WIRE.slice(at)]);
      const reply = replyWith(source);
      const { content } = await heardStream(reply, { made }, async () => {
        throw new Error("the store is away");
      });
      if (content.kind !== "bytes" || content.bytes === null) return expect.unreachable();
      const first = await content.bytes.read().catch((thrown: Error) => thrown.message);
      expect(first).toBe("the store is away");
    }
  });
  test("says its id as bytes of the client's dialect, or as chunks that were made for it", async () => {
    const rest = sourceOf([event({ type: "delta", id: "resp_2" })]);
    const passing = { ...STREAM, reader: rest, first: encoder.encode(event({ type: "created", id: "resp_1" })) };
    const chunks = [event({ type: "ping" }), event({ type: "created", id: "resp_1" })].map((wire) => ({ wire, events: [] }));
    const source = { read: async () => chunks.shift(), cancel: async () => undefined };
    const recorded: string[] = [];
    const record = async (ids: readonly string[]): Promise<void> => void recorded.push(...ids);
    await heardStream(streamReply({ kind: "passing", passing }), { made }, record);
    expect(recorded).toEqual(["resp_1"]); // nothing was promised to the client yet
    const heard = await heardStream(
      streamReply({ kind: "chunks", chunks: source, encoder: TINY_DIALECT.encode(), provider: "p" }),
      { made },
      record,
    );
    const { stream } = heard.content.kind === "stream" ? heard.content : expect.unreachable();
    if (stream.kind !== "chunks") return expect.unreachable();
    expect([(await stream.chunks.read())?.wire, recorded.length]).toEqual([event({ type: "ping" }), 1]);
    expect((await stream.chunks.read())?.wire).toContain("created");
    expect(recorded).toEqual(["resp_1", "resp_1"]);
  });
  test("is not read at all where it is no stream of events", async () => {
    const recorded: string[] = [];
    expect(await passed(replyWith(sourceOf([WIRE]), "audio/mpeg"), async (ids) => void recorded.push(...ids))).toBe(WIRE);
    expect(recorded).toEqual([]);
  });
  test("is listened to at its beginning only", async () => {
    const recorded: string[] = [];
    const late = event({ type: "ping" }).repeat(40) + WIRE;
    expect(await passed(replyWith(sourceOf([late])), async (ids) => void recorded.push(...ids))).toBe(late);
    expect(recorded).toEqual([]);
  });
});
