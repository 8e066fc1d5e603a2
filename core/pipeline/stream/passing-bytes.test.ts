import type { ByteSource } from "#contract";
import { describe, expect, test } from "bun:test";
import type { Ending } from "./deliver.ts";
import { watched } from "./passing-bytes.ts";

const KB = 1024;
function pieces(texts: readonly string[], broken?: Error): ByteSource & { cancelled: boolean } {
  const left = texts.map((text) => new TextEncoder().encode(text));
  return {
    cancelled: false,
    async read() {
      const value = left.shift();
      if (!value && broken) throw broken;
      return value;
    },
    async cancel() {
      this.cancelled = true;
    },
  };
}
/** What passed, what the reader of usage was given, and how it ended. */
async function passed(from: ByteSource, take = Number.POSITIVE_INFINITY) {
  const seen: string[] = [];
  const ended = Promise.withResolvers<Ending>();
  const usageAtEnd = (tail: string) => ({ input: seen.push(tail) });
  const reader = watched(from, { provider: "p", usageAtEnd, readyMs: 7, settle: ended.resolve }).getReader();
  let text = "";
  try {
    for (let count = 0; count < take; count += 1) {
      const { value, done } = await reader.read();
      if (done) break;
      text += new TextDecoder().decode(value);
    }
    if (take < Number.POSITIVE_INFINITY) await reader.cancel();
  } catch (thrown) {
    text += String(thrown);
  }
  return { text, seen, ending: await ended.promise };
}

describe("bytes that pass unread", () => {
  test("come as they are, and what they used is looked for in their end alone", async () => {
    const texts = [...Array.from({ length: 9 }, (_, index) => String(index).repeat(16 * KB)), "the end"];
    const { text, seen, ending } = await passed(pieces(texts));
    expect(text).toBe(texts.join(""));
    expect(seen).toEqual([texts.join("").slice(-64 * KB)]);
    expect(ending).toMatchObject({ ended: "ok", usage: { input: 1 }, response: null });
  });
  test("took the gateway no longer than until they began; events are a stream", async () => {
    expect((await passed(pieces(["a"]))).ending).toMatchObject({ streamed: true });
    const ended = Promise.withResolvers<Ending>();
    const bytes = watched(pieces(["a"]), { provider: "p", usageAtEnd: undefined, readyMs: 7, settle: ended.resolve });
    expect([await new Response(bytes).text(), await ended.promise]).toEqual([
      "a",
      { ended: "ok", usage: null, firstMs: null, response: null, readyMs: 7 },
    ]);
  });
  test("that do not come to their end say what was heard of them, and how much more there was", async () => {
    const texts = Array.from({ length: 8 }, (_, index) => String(index).repeat(16 * KB));
    const broken = (await passed(pieces(texts, new Error("cut")))).ending;
    expect([broken.ended, broken.unreadEvents?.()]).toEqual(["partial", { text: texts.slice(4).join(""), times: 2 }]);
    const left = (await passed(pieces(texts), 1)).ending;
    expect([left.ended, left.unreadEvents?.()]).toEqual(["aborted", { text: texts[0] ?? "", times: 1 }]);
  });
  test("say the model that answered in the same end", async () => {
    const ended = Promise.withResolvers<Ending>();
    const of = { provider: "p", usageAtEnd: () => ({ input: 1 }), readyMs: 7, settle: ended.resolve };
    const bytes = watched(pieces(["a", "b"]), { ...of, modelAtEnd: (tail) => `model of ${tail}` });
    expect([await new Response(bytes).text(), (await ended.promise).model]).toEqual(["ab", "model of ab"]);
  });
  test("of one large piece are no exception", async () => {
    const { seen } = await passed(pieces([`${"x".repeat(300 * KB)}usage`]));
    expect([seen[0]?.length, seen[0]?.endsWith("usage")]).toEqual([64 * KB, true]);
  });
  test("that break off, or whose client leaves, have no usage that could be trusted", async () => {
    const broke = await passed(pieces(["a"], new Error("reset")));
    expect(broke).toMatchObject({
      seen: [],
      ending: { ended: "partial", usage: null, error: { message: expect.stringContaining("reset") } },
    });
    const from = pieces(["a", "b"]);
    expect(await passed(from, 1)).toMatchObject({ text: "a", seen: [], ending: { ended: "aborted", usage: null } });
    expect(from.cancelled).toBeTrue();
  });
});
