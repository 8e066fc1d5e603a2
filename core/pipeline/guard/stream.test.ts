import { judged } from "../../../plugins/api/chat/judged.ts";
import { nothingSpent } from "../../compute/allowance.ts";
import { describe, expect, test } from "bun:test";
import { type Check, type Encoder, GatewayError, type Json, type Source, type StreamEvent, type StreamMode } from "#contract";
import type { EngineDeps } from "../../../tests/kit/bound-check.ts";
import { active, depsWith, madeCheck } from "../../../tests/kit/guardrail.ts";
import type { Chunk } from "../stream/chunks.ts";
import { type StreamDeps, guardStream, refuseUnstreamable } from "./stream.ts";
import { callOf } from "../../../tests/kit/call.ts";

const call = callOf({ model: "m", stream: true, messages: [{ role: "user", content: "hi" }] });
const view = {
  provider: "p",
  model: "m",
  metadata: {},
  spending: nothingSpent(),
  tenant: "w",
  tenantIds: { organisationId: "o", workspaceId: "w" },
};
const windowOf = (chars: number, overlap: number): StreamMode => ({ window: { chars, overlap } });

/** Denies a text that holds the word. */
const denies = (word: string, stream: StreamMode, more: Partial<Check> = {}): Check =>
  madeCheck("denies", ({ text }) => (text.includes(word) ? { verdict: "deny", reason: "found" } : { verdict: "allow" }), {
    stream,
    ...more,
  });

const encoder: Encoder = {
  event: (event) => `${JSON.stringify(event)}\n`,
  end: () => "end\n",
  error: ({ message }) => `error ${message}\n`,
  note: (value) => `${JSON.stringify(value)}\n`,
};
const depsOf = (...checks: readonly Check[]): StreamDeps & EngineDeps => ({ ...depsWith(checks), view, encoder: () => encoder, judged });

/** Frames of an answer that says these pieces; remembers what was taken and whether it was closed. */
class Upstream implements Source<Chunk> {
  taken = 0;
  closed = false;
  private readonly chunks: readonly Chunk[];
  constructor(events: readonly StreamEvent[]) {
    this.chunks = [...events.map((event) => ({ wire: `${JSON.stringify(event)}\n`, events: [event] })), { wire: "end\n", events: [] }];
  }
  static saying(...pieces: readonly string[]): Upstream {
    return new Upstream([
      { type: "start", id: "a", model: "m" },
      ...pieces.map((text): StreamEvent => ({ type: "text", text })),
      { type: "finish", reason: "stop" },
    ]);
  }
  async read(): Promise<Chunk | undefined> {
    return this.chunks[this.taken++];
  }
  async cancel(): Promise<void> {
    this.closed = true;
  }
  get wire(): string {
    return this.chunks.map(({ wire }) => wire).join("");
  }
}

const guarded = (guardrails: readonly Json[], upstream: Source<Chunk>, deps: StreamDeps & EngineDeps) =>
  guardStream(active(guardrails, deps), call, upstream, deps);

/** Reads a guarded stream to its end or its throw, and then cancels it as its reader does. */
async function read(chunks: Source<Chunk>): Promise<{ wire: string; text: string; thrown: unknown }> {
  let [wire, text] = ["", ""];
  try {
    for (let chunk = await chunks.read(); chunk; chunk = await chunks.read()) {
      wire += chunk.wire;
      for (const event of chunk.events) if (event.type === "text") text += event.text;
    }
    return { wire, text, thrown: undefined };
  } catch (thrown) {
    await chunks.cancel();
    return { wire, text, thrown };
  }
}
async function streamOf(guardrails: readonly Json[], upstream: Source<Chunk>, deps: StreamDeps & EngineDeps) {
  const done = await guarded(guardrails, upstream, deps);
  if (done.kind !== "stream") throw new Error("denied");
  return done;
}

describe("what a denied stream used", () => {
  const usage = (output: number): StreamEvent => ({ type: "usage", usage: { input: 9, output } });
  const events: readonly StreamEvent[] = [
    { type: "start", id: "a", model: "m-1" },
    usage(1),
    { type: "reasoning", text: "hm " },
    { type: "text", text: "a bad word " },
    { type: "tool", index: 0, id: "t", name: "f", arguments: "{}" },
    { type: "finish", reason: "stop" },
    usage(5),
  ];
  const spentOn = (stream: StreamMode) => guarded([{ "test.denies": {}, deny: true }], new Upstream(events), depsOf(denies("bad", stream)));
  test("is what was said of all of it where all of it was judged", async () =>
    expect(await spentOn("final")).toMatchObject({
      spent: { usage: { input: 9, output: 5 }, model: "m-1", isComplete: true, received: "a bad word {}hm " },
    }));
  test("is what its beginning said, and no more than that, where it was cut at the first window", async () =>
    expect(await spentOn(windowOf(5, 2))).toMatchObject({
      spent: { usage: { input: 9, output: 1 }, model: "m-1", isComplete: false, received: "a bad word hm " },
    }));
});

describe("final", () => {
  test("nothing is released before the whole answer was judged, then every byte as it came", async () => {
    const upstream = Upstream.saying("a", "b");
    const done = await streamOf([{ "test.denies": {}, deny: true }], upstream, depsOf(denies("bad", "final")));
    expect(upstream.taken).toBe(6);
    expect((await read(done.chunks)).wire).toBe(upstream.wire);
    expect(done).toMatchObject({ failed: false });
    expect(done.results()).toMatchObject([{ verdict: true }]);
  });
  test("a denial comes before the first byte", async () => {
    const done = await guarded([{ "test.denies": {}, deny: true }], Upstream.saying("b", "ad"), depsOf(denies("bad", "final")));
    expect(done).toMatchObject({ kind: "denied", results: [{ deny: true, verdict: false }] });
  });
  test("without deny the failure is known before the first byte, for 246", async () => {
    expect(await guarded([{ "test.denies": {} }], Upstream.saying("bad"), depsOf(denies("bad", "final")))).toMatchObject({
      kind: "stream",
      failed: true,
    });
  });
  test("a changed answer is written anew in the client's dialect, with its tools, finish and usage", async () => {
    const mask = madeCheck(
      "mask",
      ({ segments }) => ({
        verdict: "transform",
        patches: segments.map(({ path, text }) => ({ path, text: text.replaceAll("secret", "***") })),
      }),
      { transforms: true, wants: ["text", "tool_call"] },
    );
    const events: readonly StreamEvent[] = [
      { type: "start", id: "a", model: "m" },
      { type: "reasoning", text: "hm", signature: "sig" },
      { type: "text", text: "the se" },
      { type: "text", text: "cret" },
      { type: "tool", index: 0, id: "c1", name: "f", arguments: '{"q":"sec' },
      { type: "tool", index: 0, arguments: 'ret"}' },
      { type: "finish", reason: "tool_calls" },
      { type: "usage", usage: { input: 1, output: 2 } },
    ];
    const { wire } = await read((await streamOf([{ "test.mask": {} }], new Upstream(events), depsOf(mask))).chunks);
    expect(
      wire
        .trim()
        .split("\n")
        .slice(0, -1)
        .map((line) => JSON.parse(line)),
    ).toEqual([
      { type: "start", id: "a", model: "m" },
      { type: "reasoning", text: "hm", signature: "sig", choice: 0 },
      { type: "text", text: "the ***", choice: 0 },
      { type: "tool", index: 0, id: "c1", name: "f", arguments: '{"q":"***"}', choice: 0 },
      { type: "finish", reason: "tool_calls", choice: 0 },
      { type: "usage", usage: { input: 1, output: 2 } },
    ]);
    expect(wire).toEndWith("end\n");
  });
  test("tool calls of a stream are judged", async () => {
    const events: readonly StreamEvent[] = [
      { type: "start" },
      { type: "tool", index: 0, id: "c", name: "f", arguments: '{"q":"b' },
      { type: "tool", index: 0, arguments: 'ad"}' },
      { type: "finish", reason: "tool_calls" },
    ];
    const check = denies("bad", windowOf(5, 2), { wants: ["text", "tool_call"] });
    expect(await guarded([{ "test.denies": {}, deny: true }], new Upstream(events), depsOf(check))).toMatchObject({ kind: "denied" });
  });
});

describe("window", () => {
  const rule = [{ "test.denies": {}, deny: true }];
  test("the first window is judged before the first byte, and the rest of the answer is not waited for", async () => {
    const upstream = Upstream.saying("0123456789", "0123456789", "0123456789");
    await streamOf(rule, upstream, depsOf(denies("bad", windowOf(10, 3))));
    expect(upstream.taken).toBe(2);
    const early = Upstream.saying("so bad 123", "more");
    expect(await guarded(rule, early, depsOf(denies("bad", windowOf(10, 3))))).toMatchObject({ kind: "denied", results: [{ deny: true }] });
    expect(early.closed).toBe(true);
  });
  test("a later denial ends the stream with a throw, closes the upstream and is in the results", async () => {
    const upstream = Upstream.saying("0123456789", "01234 bad ", "never seen");
    const done = await streamOf([{ id: "g", ...rule[0] }], upstream, depsOf(denies("bad", windowOf(10, 3))));
    const { thrown, text } = await read(done.chunks);
    expect(GatewayError.is(thrown) && [thrown.code, thrown.message]).toEqual(["HOOKS_FAILED", "The guardrail checks failed: g."]);
    expect(text).not.toContain("b");
    expect(upstream.closed).toBe(true);
    expect(done.results()).toMatchObject([{ id: "g", deny: true, checks: [{ verdict: false }] }]);
  });
  test("an answer of tool calls alone is judged, as having no text", async () => {
    const events: readonly StreamEvent[] = [
      { type: "start" },
      { type: "tool", index: 0, id: "c", name: "f", arguments: "{}" },
      { type: "finish", reason: "tool_calls" },
    ];
    const done = await streamOf(rule, new Upstream(events), depsOf(denies("bad", windowOf(10, 3))));
    expect((await read(done.chunks)).wire).toContain('"tool"');
    expect(done.results()).toMatchObject([{ verdict: true, checks: [{ id: "test.denies" }] }]);
  });
  test("the strictest check decides for all", async () => {
    const upstream = Upstream.saying("0123456789", "0123456789");
    await streamOf(
      [{ "test.denies": {}, deny: true }, { "test.whole": {} }],
      upstream,
      depsOf(
        denies("bad", windowOf(10, 3)),
        madeCheck("whole", () => ({ verdict: "allow" })),
      ),
    );
    expect(upstream.taken).toBe(6);
  });

  test("whatever the text, the window and the cuts: a denied word is found, and no part of it is released", async () => {
    const random = generator(20_261_120);
    const upTo = (most: number): number => Math.floor(random() * (most + 1));
    for (let round = 0; round < 600; round++) {
      const word = letters(upTo(5) + 1, random);
      const body = letters(upTo(80), random);
      const at = upTo(body.length);
      const text = random() < 0.7 ? body.slice(0, at) + word + body.slice(at) : body;
      const overlap = word.length - 1 + upTo(4);
      const deps = depsOf(denies(word, windowOf(overlap + 1 + upTo(12), overlap)));
      const upstream = Upstream.saying(...cuts(text, random));
      const done = await guarded(rule, upstream, deps);
      const seen =
        done.kind === "denied"
          ? { text: "", denied: true }
          : await read(done.chunks).then(({ text, thrown }) => ({ text, denied: thrown !== undefined }));
      const first = text.indexOf(word);
      expect({ round, denied: seen.denied }).toEqual({ round, denied: first >= 0 });
      if (first >= 0) expect(seen.text.length).toBeLessThanOrEqual(first);
      if (first >= 0) expect(upstream.closed).toBe(true);
      if (first < 0) expect(seen.text).toBe(text);
    }
  });
});

describe("what is not enforced on a stream", () => {
  test("a check that cannot run on streams is refused when its guardrail denies or it transforms", () => {
    const deps = depsOf(denies("bad", "none"));
    const refuse =
      (guardrail: Json, using = deps, on = call) =>
      () =>
        refuseUnstreamable(active([guardrail], using), on);
    expect(refuse({ id: "g", "test.denies": {}, deny: true })).toThrow(
      "The check test.denies cannot run on a streamed answer, and the guardrail g denies",
    );
    expect(refuse({ "test.denies": {} }, depsOf(denies("bad", "none", { transforms: true })))).toThrow("cannot run on a streamed answer");
    expect(refuse({ "test.denies": {} })).not.toThrow();
    expect(refuse({ "test.denies": {}, deny: true, async: true })).not.toThrow();
    expect(refuse({ "test.denies": {}, deny: true }, deps, callOf({ messages: [] }))).not.toThrow();
  });
  test("without deny it judges at the end and delays nothing", async () => {
    const upstream = Upstream.saying("so bad");
    const done = await streamOf([{ "test.denies": {} }], upstream, depsOf(denies("bad", "none")));
    expect(upstream.taken).toBe(0);
    expect((await read(done.chunks)).wire).toBe(upstream.wire);
    expect(done.results()).toMatchObject([{ verdict: false, deny: false }]);
  });
  test("asynchronous guardrails judge the whole answer beside the stream", async () => {
    const upstream = Upstream.saying("so ", "bad");
    const done = await streamOf([{ "test.denies": {}, deny: true, async: true }], upstream, depsOf(denies("so bad", "final")));
    expect(upstream.taken).toBe(0);
    expect((await read(done.chunks)).thrown).toBeUndefined();
    expect(done.results()).toEqual([]);
    expect(await done.pending()).toMatchObject([{ async: true, verdict: false }]);
  });
});

describe("the upstream", () => {
  test("is closed when the stream is dropped before it was begun", async () => {
    const upstream = Upstream.saying("a");
    const done = await streamOf([], upstream, depsOf());
    await done.chunks.cancel();
    expect(upstream.closed).toBe(true);
  });
  test("that says more than may be held back is refused and closed", async () => {
    const upstream = Upstream.saying(...Array.from({ length: 100 }, () => "word "));
    const refused = guarded([{ "test.denies": {}, deny: true }], upstream, { ...depsOf(denies("bad", "final")), maxHeld: 1_024 });
    expect(await refused.catch((thrown: GatewayError) => thrown)).toMatchObject({
      code: "UPSTREAM_INVALID",
      details: { provider: "p", why: "its answer is larger than 0.0009765625 MB" },
    });
    expect(upstream.closed).toBe(true);
    expect(upstream.taken).toBeLessThan(50);
  });
  test("is closed when it fails, and its failure is passed on", async () => {
    const broken = Upstream.saying("a");
    const failing: Source<Chunk> = { read: () => Promise.reject(new Error("cut")), cancel: () => broken.cancel() };
    await expect(guarded([{ "test.denies": {}, deny: true }], failing, depsOf(denies("bad", "final")))).rejects.toThrow("cut");
    const done = await streamOf([], failing, depsOf());
    expect((await read(done.chunks)).thrown).toBeInstanceOf(Error);
    expect(broken.closed).toBe(true);
  });
});

/** A small seeded generator (mulberry32), so that a failing round can be run again. */
function generator(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}
/** Few letters, so that words overlap themselves and occur by chance. */
const letters = (length: number, random: () => number): string => Array.from({ length }, () => "ab"[Math.floor(random() * 2)]).join("");
function cuts(text: string, random: () => number): readonly string[] {
  const pieces: string[] = [];
  for (let from = 0; from < text.length; ) {
    const length = 1 + Math.floor(random() * 9);
    pieces.push(text.slice(from, from + length));
    from += length;
  }
  return pieces;
}

test("what a text rests on is held by windows like the text, and is judged when it comes", async () => {
  for (const event of [
    { type: "citation", citation: { title: "a bad title" } },
    { type: "beside", members: { citations: ["https://bad.example"] } },
  ] as const) {
    const upstream = new Upstream([
      ...([
        { type: "start", id: "a", model: "m" },
        { type: "text", text: "good good good" },
      ] as const),
      ...([event, { type: "text", text: "good" }, { type: "finish", reason: "stop" }] as const),
    ]);
    const deps = depsOf(denies("bad", windowOf(5, 2)));
    const stream = await guarded([{ "test.denies": {}, deny: true }], upstream, deps);
    const { wire } = stream.kind === "stream" ? await read(stream.chunks) : { wire: "" };
    expect(wire).not.toContain("bad");
  }
});
