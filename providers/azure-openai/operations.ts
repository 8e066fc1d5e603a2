import type { Adapter, Provider } from "#contract";
import { batch, conversation, deployed, modelled, tuned, tunedList, tuning } from "./body.ts";
import { fieldsOf } from "./target.ts";
import { deploymentPath, resourcePath } from "./url.ts";

const ofDeployment: Adapter = { path: deploymentPath, request: modelled };
const ofResource: Adapter = { path: resourcePath };
const assistants: Adapter = {
  ...ofResource,
  headers: (_, { target }): Readonly<Record<string, string>> =>
    fieldsOf(target).openai_beta === undefined ? { "openai-beta": "assistants=v2" } : {},
};

/** One row an operation. Azure has no moderations, no rerank and no messages, and gives a batch's output in two calls. */
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
  createFinetune: { ...ofResource, request: tuning, response: tuned },
  listFinetunes: { ...ofResource, response: tunedList },
  retrieveFinetune: { ...ofResource, response: tuned },
  cancelFinetune: { ...ofResource, response: tuned },
  createModelResponse: { ...ofResource, request: deployed },
  getModelResponse: ofResource,
  deleteModelResponse: ofResource,
  listResponseInputItems: ofResource,
  listAssistants: assistants,
  listVectorStoreFiles: assistants,
  listModels: ofResource,
};
