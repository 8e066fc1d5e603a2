import { describe, expect, test } from "bun:test";
import type { FrameFormat, StreamEvent, StreamMap } from "#contract";
import { frameReader } from "../../core/pipeline/stream/frames.ts";

/** Above this, not every offset is tried alone: each byte apart, odd sizes, and a spread of offsets. */
const EXHAUSTIVE_BYTES = 6_000;
const SPREAD = 400;

/** The events of a wire that arrives in these pieces. */
export function eventsOf(map: StreamMap<unknown>, pieces: Iterable<Uint8Array>, format: FrameFormat = "sse"): StreamEvent[] {
  const reader = frameReader(format);
  const state = map.start();
  const events: StreamEvent[] = [];
  for (const piece of pieces) for (const frame of reader.push(piece)) events.push(...map.event(frame, state));
  for (const frame of reader.end()) events.push(...map.event(frame, state));
  return events;
}

/** A wire in pieces of so many bytes. */
export function* inPieces(wire: Uint8Array, size: number): Generator<Uint8Array> {
  for (let at = 0; at < wire.length; at += size) yield wire.subarray(at, at + size);
}

/** `start` first and once, `finish` once per choice, nothing but `usage` after the last finish, tools announced by id and name. */
export function expectLegal(events: readonly StreamEvent[]): void {
  expect(events[0]?.type).toBe("start");
  expect(events.filter((event) => event.type === "start")).toHaveLength(1);
  const finishes = events.filter((event) => event.type === "finish").map((event) => event.choice ?? 0);
  expect(finishes).not.toBeEmpty();
  expect(new Set(finishes).size).toBe(finishes.length);
  const last = events.findLastIndex((event) => event.type === "finish");
  expect(events.slice(last + 1).every((event) => event.type === "usage")).toBeTrue();
  expectAnnouncedTools(events);
}

function expectAnnouncedTools(events: readonly StreamEvent[]): void {
  const known = new Set<string>();
  for (const event of events) {
    if (event.type !== "tool") continue;
    const key = `${event.choice ?? 0}/${event.index}`;
    if (!known.has(key)) expect({ id: event.id, name: event.name }).toEqual({ id: expect.any(String), name: expect.any(String) });
    known.add(key);
  }
}

/** Conformance of a stream map: one recording gives the same, legal events wherever its bytes are cut. */
export function testStream<S>(
  name: string,
  map: StreamMap<S>,
  wire: Uint8Array | string,
  expected?: readonly StreamEvent[],
  format: FrameFormat = "sse",
): void {
  const bytes = typeof wire === "string" ? new TextEncoder().encode(wire) : wire;
  const wide = map as StreamMap<unknown>; // only the map's own handlers look at its state
  const whole = (): StreamEvent[] => eventsOf(wide, [bytes], format);
  describe(name, () => {
    if (expected) test("gives the expected events", () => expect(whole()).toEqual([...expected]));
    test("gives events in a legal order", () => expectLegal(whole()));
    test("gives the same events wherever its bytes are cut", () => {
      const once = JSON.stringify(whole());
      for (const size of [1, 2, 3, 7, 64]) expect(JSON.stringify(eventsOf(wide, inPieces(bytes, size), format))).toBe(once);
      for (const at of offsets(bytes.length)) {
        const cut = JSON.stringify(eventsOf(wide, [bytes.subarray(0, at), bytes.subarray(at)], format));
        if (cut !== once) throw new Error(`cut at byte ${at} of ${bytes.length}, the events differ`);
      }
    });
    test("begins anew for each stream", () => expect(whole()).toEqual(whole()));
  });
}

function* offsets(length: number): Generator<number> {
  const stride = length <= EXHAUSTIVE_BYTES ? 1 : Math.ceil(length / SPREAD);
  for (let at = 0; at <= length; at += stride) yield at;
}
