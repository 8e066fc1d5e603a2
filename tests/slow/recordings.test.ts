/**
 * Every recording as the upstream of the running gateway, cut at every byte boundary in a request with no or few other
 * cuts: its client reads what the recording says, streamed and whole. Each cut is a true one: what stands behind it is
 * sent when the gateway has read what stands before.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { type CuttingGateway, bodies, cuttingGateway, everyBoundary, type How, type Recorded, streams } from "../e2e/replayed.ts";
import { haveRecordings, sayIfMissing } from "../kit/recordings.ts";

/**
 * Streams of up to so many bytes are cut in two. In longer ones the cuts of a request are so far apart, which is more
 * than the gateway remembers of what has passed (16,384 bytes): so it takes minutes and not half an hour.
 */
const APART = 17_200;
const LONGEST_MS = 300_000;

let cutting: CuttingGateway;
const total = { boundaries: 0, requests: 0 };
beforeAll(async () => {
  cutting = await cuttingGateway();
});
afterAll(async () => {
  await cutting.stop();
  if (haveRecordings) console.info(`${total.boundaries} byte boundaries cut in ${total.requests} requests`);
});
sayIfMissing();

describe.skipIf(!haveRecordings)("cut at every byte boundary", () => {
  const cases = [
    ...streams.map((recorded) => [recorded.path, "streamed", recorded] as const),
    ...bodies.map((recorded) => [recorded.path, "whole", recorded] as const),
    ...bodies.map((recorded) => [recorded.path, "whole, of known length", recorded] as const),
  ];
  test.each(cases)("%s, %s, says the same", async (_, how, recorded) => cutEverywhere(recorded, how), LONGEST_MS);
});

async function cutEverywhere(recorded: Recorded, how: How): Promise<void> {
  const { length } = recorded.bytes;
  const requests = everyBoundary(length, how === "streamed" ? APART : length);
  const startedAt = performance.now();
  const cuts = await cutting.expectSaid(recorded, how, requests);
  const perSecond = Math.round((1000 * requests.length) / (performance.now() - startedAt));
  expect(cuts).toBe(length - 1);
  total.boundaries += cuts;
  total.requests += requests.length;
  console.info(`${cuts} boundaries in ${requests.length} requests, ${perSecond} a second`);
}
