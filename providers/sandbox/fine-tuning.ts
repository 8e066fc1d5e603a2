import type { Adapter, AdapterInput, Json } from "#contract";
import { answering, obeying } from "./answering.ts";
import { idAt, type Kept, newId } from "./kept.ts";
import { missing } from "./missing.ts";
import { page } from "./page.ts";
import { Refusal } from "./refusal.ts";

/** A job goes on by one state each time it is looked at. */
const NEXT: Readonly<Record<string, string>> = { validating_files: "queued", queued: "running", running: "succeeded" };
const STEPS = 2;

/** Fine-tuning jobs, which learn nothing. */
export function fineTuning(kept: Kept, seconds: () => number): Record<string, Adapter> {
  const found = ({ path }: AdapterInput): Json => {
    const id = idAt(path, 2);
    const job = kept.get(id);
    if (job?.["object"] !== "fine_tuning.job")
      throw new Refusal(404, { message: `Could not find fine tune: ${id}`, param: "fine_tuning_job_id", code: "fine_tune_not_found" });
    return job;
  };
  const change = (job: Json, members: Json): Json => kept.put(String(job["id"]), { ...job, ...members });
  const isDone = ({ status }: Json): boolean => status === "succeeded" || status === "cancelled";
  const halted =
    (status: string) =>
    (_: Json, ask: AdapterInput): Json => {
      const job = found(ask);
      if (isDone(job)) throw new Refusal(400, { message: `Job has already completed: ${String(job["id"])}`, code: "invalid_value" });
      return change(job, { status, ...(status === "cancelled" && { finished_at: seconds() }) });
    };
  return {
    createFinetune: { answer: obeying((body) => kept.put(...created(body, seconds()))) },
    listFinetunes: { answer: answering(async (_, { search }) => page(await kept.all("fine_tuning.job"), search)) },
    retrieveFinetune: {
      answer: answering((_, ask) => {
        const job = found(ask);
        const status = NEXT[String(job["status"])];
        return status === undefined ? job : change(job, status === "succeeded" ? result(job, seconds()) : { status });
      }),
    },
    cancelFinetune: { answer: answering(halted("cancelled")) },
    pauseFineTuningJob: { answer: answering(halted("paused")) },
    resumeFineTuningJob: { answer: answering(halted("queued")) },
    listFineTuningEvents: { answer: answering((_, ask) => page(events(found(ask)), ask.search)) },
    listFineTuningJobCheckpoints: { answer: answering((_, ask) => page(checkpoints(found(ask)), ask.search)) },
  };
}

function created(body: Json, at: number): [string, Json] {
  for (const name of ["model", "training_file"]) if (typeof body[name] !== "string" || body[name] === "") throw missing(name);
  const id = newId("ftjob-");
  const { model, training_file, validation_file, suffix, method, seed, integrations, metadata } = body;
  const job: Json = {
    id,
    object: "fine_tuning.job",
    created_at: at,
    model,
    status: "validating_files",
    training_file,
    validation_file: validation_file ?? null,
    fine_tuned_model: null,
    finished_at: null,
    organization_id: "org-sandbox",
    result_files: [],
    trained_tokens: null,
    error: null,
    hyperparameters: { n_epochs: "auto" },
    integrations: integrations ?? [],
    seed: seed ?? 1,
    estimated_finish: null,
    metadata: metadata ?? null,
    suffix: suffix ?? null,
    ...(method !== undefined && { method }),
  };
  return [id, job];
}

const result = ({ id, model, suffix }: Json, at: number): Json => ({
  status: "succeeded",
  finished_at: at,
  fine_tuned_model: `ft:${String(model)}:sandbox:${String(suffix ?? "")}:${String(id).slice(-8)}`,
  result_files: [`file-${String(id)}-result`],
  trained_tokens: 1_000,
});

/** What has happened so far, the oldest first. */
function events({ id, created_at, status }: Json): readonly Json[] {
  const messages = [`Created fine-tuning job: ${String(id)}`, `The job is ${String(status)}.`];
  return messages.map((message, index) => ({
    id: `ftevent-${String(id)}-${index + 1}`,
    object: "fine_tuning.job.event",
    created_at,
    level: "info",
    message,
    data: null,
    type: "message",
  }));
}

/** Made while it ran: a job that succeeded has them. */
function checkpoints({ id, created_at, fine_tuned_model: model }: Json): readonly Json[] {
  if (model === null) return [];
  return Array.from({ length: STEPS }, (_, index) => ({
    id: `ftckpt_${String(id)}_${index + 1}`,
    object: "fine_tuning.job.checkpoint",
    created_at,
    fine_tuning_job_id: id,
    fine_tuned_model_checkpoint: `${String(model)}:ckpt-step-${index + 1}`,
    step_number: index + 1,
    metrics: { step: index + 1, train_loss: 1 / (index + 1), train_mean_token_accuracy: 1 - 1 / (index + 2) },
  }));
}
