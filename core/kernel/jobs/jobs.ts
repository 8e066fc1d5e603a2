import { isJson, JOB_EVERY_MS, type Health, type Job } from "#contract";
import { JobRunner, type JobParts } from "./job-runner.ts";

/** The jobs of a generation: its plugins', and the gateway's own. They run while it serves. */
export interface Jobs {
  start(): void;
  /** Resolves when what runs has ended, or the limit is over. */
  stop(): Promise<void>;
  /** By name, `job/<kind>/<plugin>:<id>`, or `job/gateway:<id>`. */
  health(): ReadonlyMap<string, Health>;
}

/** A plugin's jobs, and whose they are. */
export interface PluginJobs extends Pick<JobParts, "plugin" | "mark"> {
  readonly jobs: readonly Job[];
}

export function jobsOf(plugins: readonly PluginJobs[], parts: Omit<JobParts, "plugin" | "mark" | "job">, limitMs: number): Jobs {
  const runners = plugins.flatMap(({ jobs, ...owner }) => jobs.map((job) => new JobRunner({ ...parts, ...owner, job })));
  return {
    start: () => runners.forEach((runner) => runner.start()),
    async stop() {
      if (runners.length > 0) await Promise.race([Promise.all(runners.map((runner) => runner.stop())), after(limitMs)]);
    },
    health: () => new Map(runners.map((runner) => [`job/${runner.name}`, runner.health()])),
  };
}
const after = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms).unref());

/** What is wrong with the jobs that a setup returned, as the end of a sentence; `undefined` when they are right. */
export function jobFlaw(jobs: unknown): string | undefined {
  if (jobs === undefined) return undefined;
  if (!Array.isArray(jobs) || !jobs.every(isJob)) return A_JOB;
  return new Set(jobs.map(({ id }) => id)).size < jobs.length ? "two of its `jobs` have the same id" : undefined;
}
const isJob = (job: unknown): job is Job =>
  isJson(job) &&
  typeof job["id"] === "string" &&
  JOB_ID.test(job["id"]) &&
  typeof job["everyMs"] === "number" &&
  job["everyMs"] >= JOB_EVERY_MS.least &&
  job["everyMs"] <= JOB_EVERY_MS.most &&
  (job["runs"] === "one" || job["runs"] === "each") &&
  typeof job["run"] === "function";
const JOB_ID = /^[a-z][a-z0-9-]*$/;
const A_JOB = "`jobs` must be a list of jobs with id, everyMs (from a second to a week), runs (one or each) and run";
