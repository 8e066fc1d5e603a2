/**
 * Every recording as the upstream of the running gateway, cut at every byte boundary: its client reads what the recording
 * says. Each cut is a true one: what stands behind it is sent when the gateway has read what stands before.
 *
 * What is cut where:
 * - A stream at each of its boundaries, in requests whose cuts are 512 bytes apart. What a cut leaves behind is forgotten
 *   where its frame ends, and nearly every frame is shorter than that: it is cut once. In a longer one cuts are 512 apart.
 * - A stream in two at each boundary of its beginning and of its end, where the gateway judges it and remembers it, and
 *   at every 211th elsewhere: what stands behind such a cut comes as fast as it is read.
 * - A stream whose lines end with CR LF at each boundary around each of these.
 * - A whole answer that comes in chunks at each of its boundaries, 64 bytes apart: what it leaves is a part of a character.
 * - One of known length in two, for the runtime reads it: at each boundary of its beginning and its end, in each character
 *   of several bytes, and at every 31st elsewhere.
 * - Made answers, also where there are no recordings: in two at each boundary, however their lines end; and with an
 *   upstream that stays open behind them.
 * A byte at a time everything is cut by tests/e2e/recordings.test.ts, and the readers alone by core/pipeline/stream/frames.test.ts.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { madeBodies, madeStreams, withCrLf } from "../e2e/made-answers.ts";
import {
  ask,
  bodies,
  type CuttingGateway,
  cuttingGateway,
  each,
  every,
  everyBoundary,
  type How,
  type Recorded,
  streams,
} from "../e2e/replayed.ts";
import { haveRecordings, sayIfMissing } from "../kit/recordings.ts";
import { sseAnswer } from "../kit/replay.ts";

const STREAM_APART = 512;
const BODY_APART = 64;
const BEGINNING = 48;
const END = 96;
const LONGEST_MS = 120_000;

let cutting: CuttingGateway;
const total = { cuts: 0, requests: 0 };
beforeAll(async () => {
  cutting = await cuttingGateway();
});
afterAll(async () => {
  await cutting.stop();
  console.info(`${total.cuts} cuts in ${total.requests} requests`);
});
sayIfMissing();

/** Throws unless the client read what was recorded, in each of the requests; gives the number of cuts. */
async function cut(recorded: Recorded, how: How, requests: readonly (readonly number[])[]): Promise<number> {
  const cuts = await cutting.expectSaid(recorded, how, requests);
  total.cuts += cuts;
  total.requests += requests.length;
  return cuts;
}
async function cutEverywhere(recorded: Recorded, how: How, apart: number): Promise<void> {
  const { length } = recorded.bytes;
  expect(await cut(recorded, how, everyBoundary(length, apart))).toBe(length - 1);
}

/* ── where answers are cut in two ────────────────────────────────────────────────────────────────────────────── */

/** The beginning, the end, and some of what is between. */
const edgesAnd = (step: number, { length }: Uint8Array): number[] =>
  unique([...every(1, Math.min(BEGINNING, length)), ...every(step, length), ...every(1, length, Math.max(1, length - END))]);
/** Boundaries with a part of a character on each side. */
const insideCharacters = (bytes: Uint8Array): number[] => [...bytes.keys()].filter((at) => ((bytes[at] ?? 0) & 0xc0) === 0x80);
const unique = (cuts: readonly number[]): number[] => [...new Set(cuts)];
const inTwo = (cuts: readonly number[]): number[][] => cuts.map((at) => [at]);

/** Requests that cut each blank line of a stream at the same place of CR LF CR LF, and one that cuts both lines in their middle. */
function aroundLineEnds(bytes: Uint8Array): number[][] {
  const wire = Buffer.from(bytes).toString("latin1");
  const ends = [...wire.matchAll(/\r\n/g)].map(({ index }) => index);
  const around = [0, 1, 2].map((behind) => ends.map((at) => at + behind).filter((at) => at < bytes.length));
  return [...around, unique(around.flat()).sort((a, b) => a - b)];
}

/* ── the recordings ──────────────────────────────────────────────────────────────────────────────────────────── */

const named = (all: readonly Recorded[]) => all.map((recorded) => [recorded.path, recorded] as const);

describe.skipIf(!haveRecordings)("a recorded stream says the same", () => {
  describe.each(named(streams))("%s", (_, recorded) => {
    test("cut at every byte boundary", () => cutEverywhere(recorded, "streamed", STREAM_APART), LONGEST_MS);
    test("cut in two", async () => void (await cut(recorded, "streamed", inTwo(edgesAnd(211, recorded.bytes)))), LONGEST_MS);
    test(
      "cut around line ends of two bytes",
      async () => {
        const crLf = withCrLf(recorded);
        await cut(crLf, "streamed", aroundLineEnds(crLf.bytes));
      },
      LONGEST_MS,
    );
  });
});

describe.skipIf(!haveRecordings)("a recorded whole answer says the same", () => {
  describe.each(named(bodies))("%s", (_, recorded) => {
    test("cut at every byte boundary", () => cutEverywhere(recorded, "whole", BODY_APART), LONGEST_MS);
    test(
      "of known length, cut in two",
      async () => {
        const places = unique([...edgesAnd(31, recorded.bytes), ...insideCharacters(recorded.bytes)]);
        await cut(recorded, "whole, of known length", inTwo(places));
      },
      LONGEST_MS,
    );
  });
});

/* ── made answers ────────────────────────────────────────────────────────────────────────────────────────────── */

describe("a made answer says the same, cut in two at every byte boundary and in single bytes", () => {
  const requests = ({ bytes }: Recorded): number[][] => [...everyBoundary(bytes.length, bytes.length), every(1, bytes.length)];
  test.each(named(madeStreams))("%s", async (_, made) => void (await cut(made, "streamed", requests(made))), LONGEST_MS);
  test.each(named(madeStreams.map(withCrLf)))(
    "%s whose lines end with CR LF",
    async (_, made) => void (await cut(made, "streamed", [...requests(made), ...aroundLineEnds(made.bytes)])),
    LONGEST_MS,
  );
  test.each(named(madeBodies))("%s, whole", async (_, made) => void (await cut(made, "whole", requests(made))), LONGEST_MS);
  test.each(named(madeBodies))(
    "%s, whole, of known length",
    async (_, made) => void (await cut(made, "whole, of known length", everyBoundary(made.bytes.length, made.bytes.length))),
    LONGEST_MS,
  );
});

describe("a made answer whose upstream stays open is over with its end, wherever that is cut", () => {
  /** A client that waited for the upstream would wait for minutes. */
  const GIVEN_UP_MS = 20_000;
  test.each(named([...madeStreams, ...madeStreams.map(withCrLf)]))(
    "%s",
    async (_, { provider, bytes }) => {
      await each(every(1, bytes.length, bytes.length - END), async (at) => {
        const host = cutting.pieces.play(sseAnswer(bytes, { cuts: [at], ends: "hang" }));
        const { status, text } = await ask(cutting.gateway, provider, host, true);
        expect({ at, status, text }).toEqual({ at, status: 200, text: expect.stringMatching(/data: \[DONE\]\r?\n\r?\n$/) });
      });
    },
    GIVEN_UP_MS,
  );
});
