import { describe, expect, test } from "bun:test";
import { JOB_EVERY_MS, type Kind } from "#contract";
import { jobFlaw } from "../../core/kernel/jobs/jobs.ts";
import { atWork, type PluginCase } from "./set-up.ts";

/** How long a run may go on when it was told to stop. */
const STOPS_WITHIN_MS = 5_000;

/** Conformance of what a plugin does by the clock. */
export async function testJobs<K extends Kind>(given: PluginCase<K>): Promise<void> {
  const { jobs, close } = await atWork(given); // which jobs there are is known without its being at work
  await close();
  if (jobs.length === 0) return;
  describe(`jobs of ${given.manifest.id}`, () => {
    test("have ids of their own, and pauses that a clock can keep", () => {
      expect(jobFlaw(jobs)).toBeUndefined();
      for (const { everyMs } of jobs) expect(everyMs).toBeWithin(JOB_EVERY_MS.least, JOB_EVERY_MS.most + 1);
    });
    for (const { id } of jobs) {
      const inOne = async (work: (run: (signal: AbortSignal) => Promise<void>) => Promise<void>): Promise<void> => {
        const at = await atWork(given);
        const job = at.jobs.find((made) => made.id === id);
        await work((signal) => job?.run(signal) ?? Promise.reject(new Error(`${id} is gone`)));
        await at.close();
      };
      test(`${id} runs on a store that holds nothing, and again`, () =>
        inOne(async (run) => {
          const { signal } = new AbortController();
          await run(signal);
          await run(signal);
        }));
      test(
        `${id} stops when it is told to`,
        () => inOne((run) => run(AbortSignal.abort(new Error("stop"))).catch(() => undefined)),
        STOPS_WITHIN_MS,
      );
    }
  });
}
