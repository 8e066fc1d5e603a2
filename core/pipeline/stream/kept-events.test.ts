import { describe, expect, test } from "bun:test";
import type { Encoder, Source, StreamEvent } from "#contract";
import { type Chunk, ChunkStream } from "./chunks.ts";
import { clipped, sizeOf } from "./kept-events.ts";
import { judged } from "../../../plugins/api/chat/judged.ts";
import type { EngineDeps } from "../../../tests/kit/bound-check.ts";
import { active, depsWith, madeCheck } from "../../../tests/kit/guardrail.ts";
import { nothingSpent } from "../../compute/allowance.ts";
import { MemoryBudget } from "../../kernel/process/memory-budget.ts";
import { guardStream, type StreamDeps } from "../guard/stream.ts";
import { Windows } from "../guard/window.ts";
import { HeldWire } from "../guard/held-wire.ts";
import { Subject } from "../guard/subject.ts";
import { callOf } from "../../../tests/kit/call.ts";

const USAGE: StreamEvent = { type: "usage", usage: { input: 1 } };
const FINISH: StreamEvent = { type: "finish", reason: "stop" };
const HIDDEN: Readonly<Record<string, readonly StreamEvent[]>> = {
  thinking: [{ type: "reasoning", text: "hm" }],
  signatures: [{ type: "reasoning", text: "hm", signature: "s" }],
  redacted: [{ type: "reasoning", text: "hm", redacted: "r" }],
  tools: [{ type: "tool", index: 0, arguments: "{}" }],
  blocks: [{ type: "block", block: { found: "f" } }],
  citations: [{ type: "citation", citation: { cited: "c" } }],
  grounding: [{ type: "beside", members: { grounding: "g" } }],
  "usage": [USAGE],
  "usage and finishes": [USAGE, FINISH],
};
/** Chunks of which the client sees nothing. */
function* hidden(events: readonly StreamEvent[], count: number): Generator<Chunk, undefined> {
  for (let i = 0; i < count; i += 1) yield { wire: "", events };
}
const arriving = (chunks: Iterator<Chunk, undefined>): Source<Chunk> => ({
  read: async () => chunks.next().value,
  cancel: async () => undefined,
});
const encoder: Encoder = { event: () => "", end: () => "", error: () => "", note: () => "" };

describe("of endless events that the client does not see", () => {
  for (const what of ["thinking", "signatures", "redacted", "tools", "blocks", "citations", "grounding"])
    test(`${what}: as much is kept for an estimate as for any answer`, async () => {
      const textAfter = async (count: number): Promise<number> => {
        const stream = new ChunkStream(arriving(hidden(HIDDEN[what] ?? [], count)), encoder, { provider: "p", secrets: [] }, 4_096);
        while (await stream.read());
        return stream.summary().text("").length;
      };
      const [some, more] = [await textAfter(1_000), await textAfter(20_000)];
      expect(more).toBe(some);
      expect(more).toBeLessThan(4_096);
    });
  test("of one long text no more is kept than of many short ones", async () => {
    const long = "x".repeat(10_000_000);
    const events: readonly StreamEvent[] = [
      { type: "start", model: "m" },
      { type: "text", text: long },
      { type: "tool", index: 0, name: "f", arguments: long },
      FINISH,
    ];
    const stream = new ChunkStream(arriving([{ wire: "", events }].values()), encoder, { provider: "p", secrets: [] }, 4_096);
    while (await stream.read());
    const { text, model, finished } = stream.summary();
    expect(text("").length).toBe(2 * 4_096);
    expect({ model, finished }).toEqual({ model: "m", finished: true });
  });
  for (const [what, events] of Object.entries(HIDDEN)) {
    test(`${what}: what is held back does not grow with the outline, nor with texts that nobody looks at`, () => {
      const heldAfter = (count: number): number => {
        const held = new HeldWire();
        for (const chunk of hidden(events, count)) held.add(chunk);
        return [...held.chunks()].reduce((sum, chunk) => sum + 1 + chunk.events.length, 0);
      };
      expect(heldAfter(100_000)).toBe(heldAfter(10_000));
    });
    test(`${what}: a guardrail that holds them back ends them, and the budget knows of them`, async () => {
      for (const stream of ["final", "none", { window: { chars: 1_000_000, overlap: 1 } }] as const) {
        const budget = new MemoryBudget(1_000_000_000);
        const view = {
          provider: "p",
          model: "m",
          metadata: {},
          spending: nothingSpent(),
          tenant: "w",
          tenantIds: { organisationId: "o", workspaceId: "w" },
        };
        const deps: StreamDeps & EngineDeps = {
          ...depsWith([madeCheck("looks", () => ({ verdict: "allow" }), { stream })]),
          view,
          encoder: () => encoder,
          judged,
          held: budget.hold(),
          maxHeld: 100_000,
        };
        const guardrails = active([{ "test.looks": {}, deny: stream !== "none" }], deps);
        const reading = async (): Promise<void> => {
          const done = await guardStream(guardrails, callOf({ stream: true }), arriving(hidden(events, 20_000)), deps);
          if (done.kind === "stream") while (await done.chunks.read());
        };
        expect(await reading().catch((thrown: unknown) => thrown)).toMatchObject({ code: "UPSTREAM_INVALID" });
        expect(budget.peak).toBeGreaterThan(100_000);
        expect(budget.peak).toBeLessThanOrEqual(400_000);
      }
    });
  }
});

test("the outline that is held back says what all of it said", () => {
  const held = new HeldWire();
  held.add({
    wire: "x".repeat(1_000_000),
    events: [
      { type: "start", id: "a" },
      { type: "text", text: "x" },
    ],
  });
  for (const event of [
    { type: "usage", usage: { input: 1, output: 1 } },
    { type: "text", text: "not looked at" },
    { type: "finish", reason: "stop", choice: 1 },
    { type: "usage", usage: { output: 2 } },
    FINISH,
    { type: "start", model: "m" },
  ] as const satisfies readonly StreamEvent[])
    held.add({ wire: "y", events: [event] });
  const chunks = [...held.chunks()];
  expect(chunks.map(({ wire }) => wire).join("")).toBe(`${"x".repeat(1_000_000)}yyyyyy`);
  expect(chunks.flatMap(({ events }) => events)).toEqual([
    { type: "start", id: "a" },
    { type: "text", text: "x" },
    { type: "usage", usage: { input: 1, output: 2 } },
    { type: "finish", reason: "stop", choice: 1 },
    FINISH,
    { type: "start", model: "m" },
  ]);
});

test("behind a text that a window holds back the outline is one chunk", async () => {
  const looks = madeCheck("looks", () => ({ verdict: "allow" }), { stream: { window: { chars: 100, overlap: 1 } } });
  const deps = { ...depsWith([looks]), judged };
  const view = {
    provider: "p",
    model: "m",
    metadata: {},
    spending: nothingSpent(),
    tenant: "w",
    tenantIds: { organisationId: "o", workspaceId: "w" },
  };
  const subject = new Subject("output", {}, { call: callOf({}), headers: deps.headers, keyHeaders: deps.keyHeaders, view, status: 200 });
  const windows = new Windows(active([{ "test.looks": {}, deny: true }], deps), subject, deps);
  await windows.push({ wire: "a", events: [{ type: "text", text: "a" }] });
  for (const chunk of hidden([USAGE, FINISH], 1_000)) await windows.push(chunk);
  await windows.push({ wire: "b", events: [{ type: "text", text: "b" }] });
  expect(windows.released()).toBeUndefined();
  await windows.end(subject);
  expect([windows.released(), windows.released(), windows.released()]).toEqual([
    { wire: "a", events: [{ type: "text", text: "a" }, USAGE, FINISH] },
    { wire: "b", events: [{ type: "text", text: "b" }] },
    undefined,
  ]);
});

describe("an event whose content is no text", () => {
  const events: readonly StreamEvent[] = [
    { type: "media", url: "u".repeat(5_000) },
    { type: "block", block: { found: "f".repeat(5_000) } },
    { type: "citation", citation: { cited: "c".repeat(5_000) } },
    { type: "beside", members: { grounding: "g".repeat(5_000) } },
    { type: "logprobs", tokens: [{ token: "t".repeat(5_000), logprob: 0, bytes: null, top_logprobs: [] }] },
  ];
  test.each(events.map((event) => [event.type, event] as const))(
    "%s is counted by what it holds, and shortened like the others",
    (_type, event) => {
      expect(sizeOf({ wire: "", events: [event] })).toBeGreaterThan(5_000);
      expect(sizeOf({ wire: "", events: [clipped(event, 100)] })).toBeLessThan(300);
    },
  );
});
