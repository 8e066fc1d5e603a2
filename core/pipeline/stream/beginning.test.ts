import { expect, test } from "bun:test";
import { type ByteSource, type StreamMap, UpstreamFailure } from "#contract";
import { goodBeginning } from "./beginning.ts";

const decode: StreamMap = {
  start: () => null,
  event({ event, data }) {
    if (event === "error") throw new UpstreamFailure(502, { message: data, type: "t", param: null, code: null });
    return data === "{}" ? [] : [{ type: "text", text: data }];
  },
};
/** Gives the text in slices, as an upstream that is far ahead is read. */
function readerOf(text: string, slice = 16 * 1024): ByteSource & { kept: number } {
  const left = Buffer.from(text);
  let at = 0;
  return {
    kept: 0,
    read() {
      const bytes = left.subarray(at, (at += slice));
      return Promise.resolve(bytes.length === 0 ? undefined : bytes);
    },
    cancel: () => Promise.resolve(),
    keeps(bytes) {
      this.kept = bytes;
    },
  };
}
async function all(text: string, slice?: number): Promise<{ bytes: string; most: number }> {
  const reader = readerOf(text, slice);
  let most = 0;
  const keeps = reader.keeps?.bind(reader);
  reader.keeps = (bytes) => {
    most = Math.max(most, bytes);
    keeps?.(bytes);
  };
  const began = await goodBeginning(reader, decode, "p");
  const parts = [began.first];
  for (let bytes = await began.reader.read(); bytes; bytes = await began.reader.read()) parts.push(bytes);
  expect(reader.kept).toBe(0);
  return { bytes: Buffer.concat(parts).toString(), most };
}
const EVENTS = "event: a\ndata: one\n\ndata: two\n\n";

test("pings before the first event come with it when they are few, and are not held when they are many", async () => {
  for (const ping of ["\n", ":\n\n", "data: {}\n\n", ": ping\r\n\r\n", "event: ping\ndata: {}\n\n"]) {
    const few = ping.repeat(20) + EVENTS;
    expect((await all(few)).bytes).toBe(few);
    const { bytes, most } = await all(ping.repeat(200_000) + EVENTS);
    expect(bytes.endsWith(EVENTS)).toBe(true);
    expect(bytes.slice(0, -EVENTS.length).replaceAll(ping, "").length).toBeLessThan(2 * ping.length);
    expect([bytes.length < 64 * 1024, most < 256 * 1024]).toEqual([true, true]);
  }
});
test("a first event of any size comes as it was sent, wherever it is cut", async () => {
  const long = `: hello\n\nevent: a\ndata: ${"x".repeat(300_000)}\n\n${EVENTS}`;
  for (const slice of [1_000, 16_384, 65_536, 100_003, 1_000_000]) expect((await all(long, slice)).bytes).toBe(long);
});
test("an error behind thousands of pings is the first event", async () => {
  for (const slice of [16_384, 100_000])
    await expect(
      goodBeginning(readerOf(`${":\n\n".repeat(50_000)}event: error\ndata: no\n\n${EVENTS}`, slice), decode, "p"),
    ).rejects.toThrow("no");
});
