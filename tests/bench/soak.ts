/**
 * `npm run soak [-- minutes]`: the governed gateway under a steady mixed load (whole answers, streams, streams that are
 * left in mid-air), its memory once a minute. Flat means: the last third is no higher than the middle one.
 */
import { message, onStage, setUp, startGateway, startUpstream, usageOf } from "./stage.ts";

const MINUTES = Number(process.argv[2] ?? 60);
const CLIENTS = 8;
/** Between two requests of one client, so that an hour's load leaves room for other work on the machine. */
const PAUSE_MS = 10;
/** What a heap may breathe. */
const SLACK_MB = 40;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
const highest = (values: readonly number[]): number => Math.max(...values);

await onStage(async (folder) => {
  const upstream = await startUpstream();
  const gateway = await startGateway(upstream, folder("soak"));
  const { governed } = await setUp(gateway, upstream.port);
  const until = Date.now() + MINUTES * 60_000;
  let done = 0;
  let failed = 0;

  async function ask(turn: number): Promise<void> {
    const stream = turn % 3 !== 0;
    const leaver = new AbortController();
    const response = await fetch(`http://127.0.0.1:${gateway.port}/v1/chat/completions`, {
      method: "POST",
      headers: { "content-type": "application/json", ...governed },
      body: message(stream),
      signal: leaver.signal,
    });
    if (!response.ok) failed += 1;
    if (turn % 3 !== 2) return void (await response.arrayBuffer());
    await response.body?.getReader().read();
    leaver.abort();
  }
  const client = async (first: number): Promise<void> => {
    for (let turn = first; Date.now() < until; turn += 1) {
      await ask(turn).catch(() => void (failed += 1));
      done += 1;
      await pause(PAUSE_MS);
    }
  };

  const readings: number[] = [];
  const watch = async (): Promise<void> => {
    while (Date.now() < until) {
      await pause(Math.min(60_000, until - Date.now()));
      readings.push((await usageOf(gateway.pid)).rssMb);
      console.log(`minute ${readings.length}: ${readings.at(-1)?.toFixed(0)} MB, ${done} requests, ${failed} failed`);
    }
  };
  await Promise.all([watch(), ...Array.from({ length: CLIENTS }, (_, index) => client(index))]);

  const third = Math.max(1, Math.floor(readings.length / 3));
  const [middle, last] = [highest(readings.slice(-2 * third, -third)), highest(readings.slice(-third))];
  const flat = readings.length < 3 || last - middle <= SLACK_MB;
  console.log(
    `${flat ? "flat" : "growing"}: ${last.toFixed(0)} MB at the end, ${(last - middle).toFixed(0)} more than before, after ${done} requests`,
  );
  process.exitCode = flat && failed === 0 ? 0 : 1;
});
