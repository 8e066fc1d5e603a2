/** Fine-tuning: data sheet 7.9. */
import { describe, expect, test } from "bun:test";
import { verifies } from "../../requirements/verifies.ts";
import { bodyOf, expectError, forAll, SANDBOX } from "./api.ts";
import { clientOf, failureOf } from "./client.ts";
import { type Passing, testPassing } from "./passing.ts";

const api = forAll();
const JOBS = "/v1/fine_tuning/jobs";
const NEW = { model: "sandbox-text", training_file: "file-1" };

describe("fine-tuning, offline", () => {
  const jobs = () => clientOf(api).fineTuning.jobs;

  test(verifies("1.tag-fine-tuning", "a job goes on to its end, and has its events and checkpoints then"), async () => {
    const job = await jobs().create({ ...NEW, suffix: "mine" });
    expect(job).toMatchObject({ object: "fine_tuning.job", status: "validating_files", training_file: "file-1", fine_tuned_model: null });
    const states: string[] = [];
    for (let at = await jobs().retrieve(job.id); at.status !== "succeeded"; at = await jobs().retrieve(job.id)) states.push(at.status);
    expect(states).toEqual(["queued", "running"]);
    expect(await jobs().retrieve(job.id)).toMatchObject({
      fine_tuned_model: expect.stringMatching(/^ft:sandbox-text:/),
      result_files: [expect.any(String)],
    });
    const messages = (await jobs().listEvents(job.id)).data.map(({ message }) => message);
    expect(messages).toEqual(["The job is succeeded.", `Created fine-tuning job: ${job.id}`]);
    const { data } = await jobs().checkpoints.list(job.id);
    expect(data.map(({ step_number }) => step_number)).toEqual([2, 1]);
    expect((await jobs().list({ limit: 100 })).data.map(({ id }) => id)).toContain(job.id);
  });
  test(verifies("D7.9.jobs", "a job is paused, resumed and cancelled, and not cancelled twice"), async () => {
    const { id } = await jobs().create(NEW);
    expect(await jobs().pause(id)).toMatchObject({ status: "paused" });
    expect(await jobs().resume(id)).toMatchObject({ status: "queued" });
    expect(await jobs().cancel(id)).toMatchObject({ status: "cancelled", finished_at: expect.any(Number) });
    expect(await failureOf(jobs().cancel(id))).toMatchObject({ status: 400 });
    expect(await failureOf(jobs().retrieve("ftjob-none"))).toMatchObject({ status: 404 });
  });
  test(verifies("D7.9.query", "a list has pages, and no page of none or of too many"), async () => {
    const made = [await jobs().create(NEW), await jobs().create(NEW)].map(({ id }) => id).reverse();
    const first = await jobs().list({ limit: 1 });
    expect([first.data.map(({ id }) => id), first.has_more]).toEqual([made.slice(0, 1), true]);
    expect((await first.getNextPage()).data.map(({ id }) => id)).toEqual(made.slice(1));
    for (const path of [JOBS, `${JOBS}/${made[0]}/events`, `${JOBS}/${made[0]}/checkpoints`])
      for (const limit of ["0", "101", "1.5", "many"]) expectError(await api.data("GET", `${path}?limit=${limit}`, SANDBOX), 400);
  });
  test.each(["model", "training_file"] as const)(verifies("D7.9.body", "a job without its %s is refused"), async (member) => {
    const answer = await api.data("POST", JOBS, SANDBOX, { ...NEW, [member]: undefined });
    expect(bodyOf(answer, 400)).toMatchObject({ error: { message: expect.stringContaining(member) } });
  });
});

describe("fine-tuning, with a provider", () => {
  const rows: readonly Passing[] = [
    [
      "create",
      ({ fineTuning: { jobs } }) => jobs.create({ model: "gpt-x", training_file: "f" }),
      `POST ${JOBS}`,
      { model: "gpt-x", training_file: "f" },
    ],
    ["retrieve", ({ fineTuning: { jobs } }) => jobs.retrieve("ftjob-1"), `GET ${JOBS}/ftjob-1`],
    ["list", ({ fineTuning: { jobs } }) => jobs.list({ limit: 3, after: "ftjob-0" }), `GET ${JOBS}?limit=3&after=ftjob-0`],
    ["cancel", ({ fineTuning: { jobs } }) => jobs.cancel("ftjob-1"), `POST ${JOBS}/ftjob-1/cancel`],
    ["pause", ({ fineTuning: { jobs } }) => jobs.pause("ftjob-1"), `POST ${JOBS}/ftjob-1/pause`],
    ["resume", ({ fineTuning: { jobs } }) => jobs.resume("ftjob-1"), `POST ${JOBS}/ftjob-1/resume`],
    ["events", ({ fineTuning: { jobs } }) => jobs.listEvents("ftjob-1", { limit: 5 }), `GET ${JOBS}/ftjob-1/events?limit=5`],
    ["checkpoints", ({ fineTuning: { jobs } }) => jobs.checkpoints.list("ftjob-1"), `GET ${JOBS}/ftjob-1/checkpoints`],
  ];
  testPassing(api, rows, (name) => verifies("D7.9.passes", `${name} passes unchanged`), null);
});
