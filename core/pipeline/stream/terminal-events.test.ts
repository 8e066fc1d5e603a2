import { expect, test } from "bun:test";
import type { Dialect, StreamEvent } from "#contract";
import { TINY_DIALECT } from "#kit";
import { PassThroughStream } from "./pass-through.ts";

/* A dialect whose stream may end in two ways, and whose last event repeats the whole answer. */

const FINISH: StreamEvent = { type: "finish", reason: "stop" };
const usageIn = (json: string): StreamEvent => ({ type: "usage", usage: JSON.parse(/"usage":(\{[^}]*\})/.exec(json)?.[1] ?? "{}") });
const wholeEnd = (data: string): readonly StreamEvent[] => [FINISH, { type: "usage", usage: JSON.parse(data).usage }];
const dialect: Dialect<null> = {
  ...TINY_DIALECT,
  decode: {
    start: () => null,
    event: ({ event, data }) => (event === "done" || event === "broke" ? wholeEnd(data) : [JSON.parse(data)]),
  },
  terminal: { events: ["done", "broke"], ofLong: (_event, tail) => [FINISH, usageIn(tail)] },
};
const encode = { id: "i", model: "m", created: 1, usage: true, strict: true };
const frame = (data: unknown, event = "piece"): string => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`;
const pieces = frame({ type: "start" }) + frame({ type: "text", text: 'says "done" and event: done' });
const last = (chars: number, event = "done"): string =>
  frame({ whole: "x".repeat(chars), usage: { input: 3, output: 4 }, metadata: { a: "b" } }, event);

async function passed(wire: string, size: number) {
  const all = new TextEncoder().encode(wire);
  const parts = Array.from({ length: Math.ceil(all.length / size) }, (_, at) => all.subarray(at * size, (at + 1) * size));
  const [first = new Uint8Array(0), ...rest] = parts;
  const reader = { read: async () => rest.shift(), cancel: async () => undefined };
  const live = new PassThroughStream(
    { reader, first, dialect, provider: "p", encode, hideUsage: false, openingEvents: null, correct: null },
    [],
  );
  const out: Uint8Array[] = [];
  for (let part = await live.read(); part; part = await live.read()) out.push(part);
  return { text: new TextDecoder().decode(Buffer.concat(out)), summary: live.summary() };
}

for (const chars of [10, 20_000, 70_000, 300_000])
  for (const event of ["done", "broke"])
    test(`a stream that ends in ${event}, ${chars} characters long, passes as it came and tells its end`, async () => {
      const usual = pieces + last(chars, event);
      for (const wire of [usual, usual.replaceAll("event: ", "event:"), usual.replaceAll("event: ", "id: 1\nevent: ")])
        for (const size of [1_000_000, 16_384, chars < 1_000 ? 1 : 4_001]) {
          const { text, summary } = await passed(`${wire}data: [DONE]\n\n`, size);
          expect(text === wire).toBeTrue();
          expect(summary).toMatchObject({ finished: true, error: null, usage: { input: 3, output: 4 } });
        }
    });

test("a long event that ends nothing lets what comes behind it through", async () => {
  const wire = pieces + frame({ type: "text", text: "x".repeat(100_000) }) + frame({ type: "text", text: "y" }) + last(10);
  for (const size of [1_000_000, 16_384]) expect((await passed(wire, size)).text === wire).toBeTrue();
});

test("an end without the blank line behind it is one, and half of it is none", async () => {
  const wire = pieces + last(2_000);
  for (const size of [1_000_000, 100]) {
    const { text, summary } = await passed(wire.trimEnd(), size);
    expect(text === wire).toBeTrue();
    expect(summary).toMatchObject({ finished: true, error: null, usage: { input: 3, output: 4 } });
    const cut = await passed(wire.slice(0, -100), size);
    expect(cut.text).toBe(`${pieces}${TINY_DIALECT.encode().error(cut.summary.error ?? expect.unreachable())}`);
    expect(cut.summary).toMatchObject({ finished: false, error: { type: "stream_incomplete" } });
  }
});
