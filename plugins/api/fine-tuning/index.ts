import { Type } from "@sinclair/typebox";
import { definePlugin, type Json, NO_CONTENT, type OperationRoute, type OwnedIds } from "#contract";
import { idsIn, objectsIn } from "../content/ids.ts";
import { CheckpointList, CheckpointsQuery, EventList, FineTuningJob, FineTuningJobBody, JobList, JobsQuery } from "./schema.ts";

/** What a job leaves behind: a model, and files with what was measured. */
const leftBy = ({ fine_tuned_model: model, result_files: files }: Json): readonly string[] => [model, files].flatMap(idsIn);

/** Models as they were in the course of a job. */
const modelsIn = ({ data }: Json): readonly string[] => objectsIn(data).flatMap(({ fine_tuned_model_checkpoint: model }) => idsIn(model));

const ofJob = { params: ["fine_tuning_job_id"] } satisfies OwnedIds;
const job: Omit<OperationRoute, "operation"> = { content: NO_CONTENT, reply: FineTuningJob, owned: { ...ofJob, made: leftBy } };

/** `/v1/fine_tuning/jobs`: data sheet 7.9. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      operations: [
        {
          operation: "createFinetune",
          content: NO_CONTENT,
          body: FineTuningJobBody,
          reply: FineTuningJob,
          owned: {
            named: ({ training_file, validation_file }) => [training_file, validation_file].flatMap(idsIn),
            made: ({ id }) => idsIn(id),
          },
          examples: { "Of an uploaded file": { model: "sandbox-text", training_file: "file-1", suffix: "mine" } },
        },
        {
          operation: "listFinetunes",
          content: NO_CONTENT,
          query: JobsQuery,
          reply: JobList,
          owned: { lists: true, made: ({ data }) => objectsIn(data).flatMap(leftBy) },
        },
        { operation: "retrieveFinetune", ...job },
        { operation: "cancelFinetune", ...job },
        { operation: "pauseFineTuningJob", ...job },
        { operation: "resumeFineTuningJob", ...job },
        { operation: "listFineTuningEvents", content: NO_CONTENT, query: JobsQuery, reply: EventList, owned: ofJob },
        {
          operation: "listFineTuningJobCheckpoints",
          content: NO_CONTENT,
          query: CheckpointsQuery,
          reply: CheckpointList,
          owned: { ...ofJob, made: modelsIn },
        },
      ],
    },
  }),
});
