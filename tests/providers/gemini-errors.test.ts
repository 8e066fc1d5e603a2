import { describe, expect, test } from "bun:test";
import { type Json, UpstreamFailure } from "#contract";
import { eventsOf } from "../kit/stream.ts";
import { sseWire } from "../kit/recordings.ts";
import { adapterOf, GEMINI, named } from "./own-wires.ts";

const busy = (retryDelay: unknown): Json => ({
  error: {
    code: 429,
    message: "slow down",
    status: "RESOURCE_EXHAUSTED",
    details: [{ "@type": "type.googleapis.com/google.rpc.Help" }, { "@type": "type.googleapis.com/google.rpc.RetryInfo", retryDelay }],
  },
});
const read = { message: "slow down", type: "RESOURCE_EXHAUSTED", code: "429" };

describe.each(named(GEMINI))("an error of %s", (_name, wire) => {
  test.each([
    ["34s", 34],
    ["7.249s", 8],
    ["0s", 0],
  ])("says in its details when to come back: %s", (retryDelay, retryAfterSec) => {
    expect(wire.provider.error?.(429, busy(retryDelay), {})).toEqual({ ...read, retryAfterSec });
    expect(wire.provider.error?.(429, [busy(retryDelay)], {})).toEqual({ ...read, retryAfterSec });
  });
  test.each(["soon", 7, null, undefined, "-1s"])("whose delay cannot be read (%p) says nothing of it", (retryDelay) =>
    expect(wire.provider.error?.(429, busy(retryDelay), {})).toEqual(read),
  );
  test("in a stream says so too", () => {
    const stream = (): unknown =>
      eventsOf(adapterOf(wire).stream as never, [new TextEncoder().encode(sseWire([JSON.stringify(busy("34s"))], {}))]);
    expect(stream).toThrow(UpstreamFailure);
    try {
      stream();
    } catch (thrown) {
      expect(thrown).toMatchObject({ status: 429, retryAfterSec: 34 });
    }
  });
});
