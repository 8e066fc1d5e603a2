import type { Adapter, Json, Provider } from "#contract";
import { refusedBy } from "../wires/openai/refused.ts";
import { without } from "../wires/openai/without.ts";

const asIs: Adapter = {};
/** A conversation may hold what another provider said in an earlier turn. */
const conversation: Adapter = { request: without(refusedBy("openai")) };
const assistants: Adapter = {
  headers: (_, { target }) => (typeof target.fields["openai_beta"] === "string" ? {} : { "openai-beta": "assistants=v2" }),
};

/** OpenAI requires two members that the gateway's batch body lets a client leave out (specification E4). */
const createBatch: Adapter = { request: (body: Json) => ({ endpoint: "/v1/chat/completions", completion_window: "24h", ...body }) };

/** One row an operation. OpenAI has no rerank, no messages, and gives a batch's output in two calls. */
export const operations: Provider["operations"] = {
  chatComplete: conversation,
  complete: asIs,
  embed: asIs,
  moderate: asIs,
  imageGenerate: asIs,
  imageEdit: asIs,
  imageVariation: asIs,
  createSpeech: asIs,
  createTranscription: asIs,
  createTranslation: asIs,
  uploadFile: asIs,
  listFiles: asIs,
  retrieveFile: asIs,
  deleteFile: asIs,
  retrieveFileContent: asIs,
  createBatch,
  listBatches: asIs,
  retrieveBatch: asIs,
  cancelBatch: asIs,
  createFinetune: asIs,
  listFinetunes: asIs,
  retrieveFinetune: asIs,
  cancelFinetune: asIs,
  createModelResponse: asIs,
  getModelResponse: asIs,
  deleteModelResponse: asIs,
  listResponseInputItems: asIs,
  listAssistants: assistants,
  listVectorStoreFiles: assistants,
  listModels: asIs,
};
