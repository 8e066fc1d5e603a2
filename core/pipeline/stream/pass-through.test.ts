import type { ByteSource } from "#contract";
import { describe, expect, test } from "bun:test";
import { TINY_DIALECT } from "#kit";
import type { Live } from "./live.ts";
import { PassThroughStream } from "./pass-through.ts";

const encoder = TINY_DIALECT.encode();
const encode = { id: "i", model: "m", created: 1, usage: false, strict: true };
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const frames = (count: number): string =>
  encoder.event({ type: "start" }) + Array.from({ length: count }, (_, i) => encoder.event({ type: "text", text: `wörd ${i} ` })).join("");
const ending =
  encoder.event({ type: "finish", reason: "stop" }) + encoder.event({ type: "usage", usage: { input: 3, output: 4 } }) + encoder.end();

function passing(wire: string, cuts: readonly number[], hideUsage: boolean): Live {
  const all = bytes(wire);
  const edges = [0, ...cuts.filter((cut) => cut > 0 && cut < all.length), all.length];
  const [first = new Uint8Array(0), ...rest] = edges.slice(1).map((edge, i) => all.subarray(edges[i], edge));
  return liveOf(sourceOf(rest.values()), first, hideUsage);
}
const sourceOf = (parts: Iterator<Uint8Array, undefined>, more: Partial<ByteSource> = {}): ByteSource => ({
  read: async () => parts.next().value,
  cancel: async () => undefined,
  ...more,
});
const liveOf = (reader: ByteSource, first: Uint8Array, hideUsage = false): Live =>
  new PassThroughStream({ reader, first, dialect: TINY_DIALECT, provider: "p", encode, hideUsage, openingEvents: null, correct: null }, []);
async function drained(live: Live): Promise<string> {
  const parts: Uint8Array[] = [];
  for (let part = await live.read(); part; part = await live.read()) parts.push(part);
  return new TextDecoder().decode(Buffer.concat(parts));
}
/** Numbers that are the same in each run. */
function seeded(seed: number): () => number {
  let state = seed;
  return () => (state = (state * 1_664_525 + 1_013_904_223) % 4_294_967_296) / 4_294_967_296;
}

describe("a passing stream", () => {
  test("gives long events the same, wherever they are cut, and never joined", async () => {
    const long = encoder.event({ type: "text", text: "lang ".repeat(40_000) });
    const wire = frames(3) + long + frames(2) + long + long + ending;
    const shown = frames(3) + long + frames(2) + long + long + encoder.event({ type: "finish", reason: "stop" }) + encoder.end();
    const size = bytes(wire).length;
    for (const step of [size, 16_384, 65_536, 70_001, 7]) {
      const stream = passing(
        wire,
        Array.from({ length: Math.ceil(size / step) }, (_, i) => i * step),
        true,
      );
      const parts: Uint8Array[] = [];
      for (let part = await stream.read(); part; part = await stream.read()) parts.push(part);
      expect(new TextDecoder().decode(Buffer.concat(parts))).toBe(shown);
      if (step === 16_384) expect(Math.max(...parts.map(({ length }) => length))).toBeLessThan(2 * step);
      expect(stream.summary()).toMatchObject({ finished: true, error: null, usage: { input: 3, output: 4 } });
    }
  });
  const wire = frames(1_500) + ending;
  const shown = frames(1_500) + encoder.event({ type: "finish", reason: "stop" }) + encoder.end();

  test("gives the same bytes, finds usage and the end, wherever it is cut", async () => {
    const random = seeded(7);
    const size = bytes(wire).length;
    for (let round = 0; round < 60; round += 1) {
      const cuts = Array.from({ length: Math.floor(random() * 40) }, () => Math.floor(random() * size)).sort((a, b) => a - b);
      for (const hideUsage of [false, true]) {
        const live = passing(wire, cuts, hideUsage);
        expect(await drained(live)).toBe(hideUsage ? shown : wire);
        expect(live.summary()).toMatchObject({ finished: true, error: null, usage: { input: 3, output: 4 } });
      }
    }
  });

  test("loses the usage its client did not ask for and nothing else, whichever line ends it uses", async () => {
    const [start, text] = [encoder.event({ type: "start" }), encoder.event({ type: "text", text: 'a "usage" ' })];
    const unknown = text.replace("}\n", ',"usage":null}\n');
    const usage = encoder.event({ type: "usage", usage: { input: 3, output: 4 } });
    const finish = encoder.event({ type: "finish", reason: "stop" });
    for (const lineEnd of ["\n", "\r\n"]) {
      const sent = [start, text, unknown, usage, text, unknown, finish, usage, encoder.end()].join("").replaceAll("\n", lineEnd);
      const shown = [start, text, text, text, text, finish, encoder.end()].join("").replaceAll("\n", lineEnd);
      for (let cut = 0; cut < bytes(sent).length; cut += 1) expect(await drained(passing(sent, [cut], true))).toBe(shown);
    }
  });

  test("that began with more than it ended with tells what both say", async () => {
    const usage = encoder.event({ type: "usage", usage: { input: 3 } });
    const other = encoder.event({ type: "text", text: "b", choice: 1 });
    const opened = encoder.event({ type: "start", model: "m-1" }) + usage;
    const middle = encoder.event({ type: "text", text: "x".repeat(100) }).repeat(300);
    const closed = encoder.event({ type: "finish", reason: "stop" }) + encoder.event({ type: "usage", usage: { output: 4 } });
    const read = async (first: string, wire: string): Promise<[string, ReturnType<Live["summary"]>]> => {
      const live = passing(first + wire, [bytes(first).length], false);
      return [await drained(live), live.summary()];
    };
    const [whole, said] = await read(opened + middle, closed + encoder.end());
    expect([whole, said]).toMatchObject([opened + middle + closed + encoder.end(), { model: "m-1", finished: true, error: null }]);
    expect(said.usage?.output).toBe(4);
    const [, cut] = await read(opened + middle + other, middle + closed); // the other choice never finished, and no marker came
    expect(cut.error?.code).toBe("stream_incomplete");
  });

  test("cut at every byte of a short answer is complete or ends with an error event, never with half a frame", async () => {
    const short = frames(2) + ending;
    const finishAt = bytes(frames(2) + encoder.event({ type: "finish", reason: "stop" })).length;
    for (let cut = 1; cut < bytes(short).length; cut += 1) {
      const text = await drained(passing(new TextDecoder().decode(bytes(short).subarray(0, cut)), [Math.floor(cut / 2)], false));
      const complete = cut >= finishAt - 2; // a whole finish, but for the blank line behind it
      expect(text.includes('"error"')).toBe(!complete);
      for (const line of text.split("\n").filter((line) => line.startsWith("data: {") && !complete))
        expect(() => JSON.parse(line.slice(6))).not.toThrow();
    }
  });

  test("comes in whole frames when each byte comes alone, whichever line ends it uses", async () => {
    const short = frames(3) + ending;
    for (const wire of [short, short.replaceAll("\n", "\r\n")]) {
      const live = passing(wire, Array.from(bytes(wire).keys()), false);
      let whole = "";
      for (let part = await live.read(); part; part = await live.read()) {
        whole += new TextDecoder().decode(part);
        expect(whole).toMatch(/\r?\n\r?\n$/);
      }
      expect(whole).toBe(wire);
    }
  });

  test("gives each frame with its last byte, wherever the blank line behind it is cut", async () => {
    const [first, second] = [frames(1), encoder.event({ type: "text", text: "ä" })];
    for (const lineEnd of ["\n", "\r\n"])
      for (let behind = 1; behind <= 2 * lineEnd.length; behind += 1) {
        const whole = bytes(second.replaceAll("\n", lineEnd));
        const pieces = [whole.subarray(0, -behind), ...Array.from(whole.subarray(-behind), (byte) => Uint8Array.of(byte))];
        const waiting = new Promise<undefined>(() => undefined);
        const live = liveOf(sourceOf([].values(), { read: () => Promise.resolve(pieces.shift() ?? waiting) }), bytes(first));
        await live.read();
        expect(new TextDecoder().decode(await live.read())).toBe(new TextDecoder().decode(whole));
      }
  });

  test("is refused and cut when one of its events is larger than 32 MB, and looks at each piece once", async () => {
    const part = bytes("x".repeat(16 * 1024));
    let cancelled = false;
    const endless = {
      read: async () => part,
      cancel: async () => {
        cancelled = true;
      },
    };
    const live = liveOf(endless, bytes(frames(1)));
    expect(await drained(live)).toContain("one event is larger than 32 MB");
    expect(live.summary().error?.code).toBe("upstream_invalid");
    expect(cancelled).toBe(true);
  }, 3_000);

  test("counts a long event until the last piece of it has gone", async () => {
    const piece = "x".repeat(16_384);
    const wire = [
      bytes(frames(1)),
      ...Array.from({ length: 20 }, (_, i) => bytes(i === 0 ? `data: {"type":"text","text":"${piece}` : piece)),
      bytes(`"}\n\n`),
    ];
    const kept: number[] = [];
    const live = liveOf(sourceOf(wire.slice(1).values(), { keeps: (size) => void kept.push(size) }), wire[0] ?? bytes(""));
    await live.read();
    for (let left = 20; left > 0; left -= 1) {
      await live.read();
      expect(kept.at(-1)).toBeGreaterThanOrEqual((left - 1) * piece.length);
    }
    await live.read();
    expect(kept.at(-1)).toBe(0);
  });

  test("tells the client when the provider's connection breaks", async () => {
    const reset = { read: () => Promise.reject(new Error("reset")), cancel: async () => undefined };
    const live = liveOf(reset, bytes(frames(1)));
    expect(await drained(live)).toContain("The connection to the provider");
    expect(live.summary().error?.message).toContain("reset");
  });
});
