import type { Adapter, PassingAdapter, Provider } from "#contract";
import { batch, conversation, deployedIfNamed, modelled, response, tuned, tunedList, tuning } from "./body.ts";
import { isResponsesAlone, isThinking } from "../wires/openai/responses-models.ts";
import { serving } from "../wires/openai/serving.ts";
import { batchOutput } from "../wires/openai/batch-output.ts";
import { realtime } from "./realtime.ts";
import { fieldsOf } from "./target.ts";
import { deploymentPath, resourcePath } from "./url.ts";

const ofDeployment: Adapter = { path: deploymentPath, request: modelled };
const ofResource: Adapter = { path: resourcePath };
const assistants: Adapter = {
  ...ofResource,
  headers: (_, { target }): Readonly<Record<string, string>> =>
    fieldsOf(target).openai_beta === undefined ? { "openai-beta": "assistants=v2" } : {},
};
/** Assistants and runs that name a model name the deployment. */
const ofAssistant: Adapter = { ...assistants, request: deployedIfNamed };

/** What passes is asked where its operation would be; what belongs to none, at the resource. */
export const passes: PassingAdapter = {
  path: (ask) => {
    const { path } = operations[ask.operation] ?? ofResource;
    return typeof path === "function" ? path({}, ask) : resourcePath({}, ask);
  },
};

/** One row an operation. Azure has no moderations, no rerank and no messages; a tuned model is deleted with its deployment. */
export const operations: Provider["operations"] = {
  chatComplete: { ...ofDeployment, request: conversation },
  complete: ofDeployment,
  embed: ofDeployment,
  imageGenerate: ofDeployment,
  imageEdit: ofDeployment,
  createSpeech: ofDeployment,
  createTranscription: ofDeployment,
  createTranslation: ofDeployment,
  uploadFile: ofResource,
  listFiles: ofResource,
  retrieveFile: ofResource,
  deleteFile: ofResource,
  retrieveFileContent: ofResource,
  createBatch: { ...ofResource, request: batch },
  listBatches: ofResource,
  retrieveBatch: ofResource,
  cancelBatch: ofResource,
  ...serving("Fine-Tuning", { ...ofResource, response: tuned }),
  getBatchOutput: batchOutput((ask) => resourcePath({}, ask)),
  createFinetune: { ...ofResource, request: tuning, response: tuned },
  listFinetunes: { ...ofResource, response: tunedList },
  createModelResponse: { ...ofResource, request: response, alone: isResponsesAlone, thinks: isThinking },
  getModelResponse: ofResource,
  deleteModelResponse: ofResource,
  cancelModelResponse: ofResource,
  listResponseInputItems: ofResource,
  ...serving("Assistants", assistants),
  createAssistant: ofAssistant,
  modifyAssistant: ofAssistant,
  createThreadAndRun: ofAssistant,
  createRun: ofAssistant,
  ...serving("Vector Stores", assistants),
  retrieveModel: { path: (body, ask) => resourcePath(body, { ...ask, path: `/models/${encodeURIComponent(ask.target.model)}` }) },
  listModels: ofResource,
  realtime,
};
