import type { Adapter, Json, Provider } from "#contract";
import { batchOutput } from "../wires/openai/batch-output.ts";
import { conversationFor } from "../wires/openai/conversation.ts";
import { oneModel } from "../wires/openai/one-model.ts";
import { withoutPackedThoughts } from "../wires/openai/packed-thoughts.ts";
import { isResponsesAlone, isThinking } from "../wires/openai/responses-models.ts";
import { serving } from "../wires/openai/serving.ts";

const asIs: Adapter = {};
const conversation: Adapter = { request: conversationFor("openai") };
const assistants: Adapter = {
  headers: (_, { target }) => (typeof target.fields["openai_beta"] === "string" ? {} : { "openai-beta": "assistants=v2" }),
};

/** OpenAI requires two members that the gateway's batch body lets a client leave out (specification E4). */
const createBatch: Adapter = { request: (body: Json) => ({ endpoint: "/v1/chat/completions", completion_window: "24h", ...body }) };

/** One row an operation. OpenAI has no rerank and no messages. */
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
  ...serving("Fine-Tuning", asIs),
  getBatchOutput: batchOutput(),
  createModelResponse: { request: withoutPackedThoughts, alone: isResponsesAlone, thinks: isThinking },
  getModelResponse: asIs,
  deleteModelResponse: asIs,
  cancelModelResponse: asIs,
  listResponseInputItems: asIs,
  ...serving("Assistants", assistants),
  ...serving("Vector Stores", assistants),
  retrieveModel: oneModel,
  deleteModel: oneModel,
  listModels: asIs,
  realtime: asIs,
};
