import type { BodyContent } from "./content.ts";
import type { Json } from "./json.ts";
import type { OwnedIds } from "./owned.ts";
import type { PassedBy } from "./passing.ts";
import type { Call } from "./request.ts";
import type { SocketMessages } from "./socket.ts";
import type { WireError } from "./stream.ts";

/** What an operation is, whoever mounts it. */
export interface Operation {
  readonly method: "GET" | "POST" | "DELETE";
  /** Where its path begins: `/v1`, unless a vendor's own client asks elsewhere. What the query says there is for the gateway alone. */
  readonly prefix?: string;
  /** Below that; `:name` marks a path parameter. With a verb behind it in the last step (`:model:countTokens`) it may hold slashes. */
  readonly path: string;
  /** Its last path parameter may hold slashes, as `@slug/model` does. */
  readonly slashes?: true;
  /** Documentation group. */
  readonly tag: string;
  readonly summary: string;
  /** How the request body travels: parsed JSON, a streamed multipart form, or none. */
  readonly body: "json" | "form" | "none";
  /** A JSON body may be left out: nothing is read as `{}`. */
  readonly bodyOptional?: true;
  /** May the client ask for a stream with `"stream": true`? */
  readonly streams?: true;
  /**
   * What its path says where others say it in the body: the parameter `model` names the model, and that a stream is asked.
   * Everybody reads it in the body; a provider of this very operation gets it in the path again.
   */
  readonly inPath?: readonly ("model" | "stream")[];
  /** Scope a key needs. */
  readonly scope: string;
  /** Metadata operations (reading a batch or a file) do not count against rate limits. */
  readonly uncounted?: true;
  /** It is a WebSocket: the request asks for an upgrade, and messages go both ways until a side closes it. Its query names the model. */
  readonly socket?: true;
  /** Error bodies carry the flat members `code message param type`. */
  readonly flatErrors?: true;
}

const write = "completions.write";

/**
 * The list of the specification's data-plane operations, and the only one: routes, request types in guardrail parameters,
 * scopes, documentation and the providers' operation keys all derive from this table.
 * A row is served as soon as an `api` plugin mounts it and a provider has an adapter for it.
 */
// biome-ignore format: a table, one row a line
export const OPERATIONS = {
  chatComplete:           { method: "POST",   path: "/chat/completions",     tag: "Chat",        summary: "Create a chat completion",   body: "json", streams: true, scope: write },
  complete:               { method: "POST",   path: "/completions",          tag: "Completions", summary: "Create a completion",        body: "json", streams: true, scope: write },
  messages:               { method: "POST",   path: "/messages",             tag: "Chat",        summary: "Create a message",           body: "json", streams: true, scope: write },
  messagesCountTokens:    { method: "POST",   path: "/messages/count_tokens", tag: "Chat",       summary: "Count a message's tokens",   body: "json", scope: write, uncounted: true },
  generateContent:        { method: "POST",   prefix: "/v1beta", path: "/models/:model:generateContent", tag: "Gemini", summary: "Generate content", body: "json", inPath: ["model"], scope: write },
  streamGenerateContent:  { method: "POST",   prefix: "/v1beta", path: "/models/:model:streamGenerateContent", tag: "Gemini", summary: "Generate content as a stream", body: "json", streams: true, inPath: ["model", "stream"], scope: write },
  countTokens:            { method: "POST",   prefix: "/v1beta", path: "/models/:model:countTokens", tag: "Gemini", summary: "Count the tokens of content", body: "json", inPath: ["model"], scope: write, uncounted: true },
  embedContent:           { method: "POST",   prefix: "/v1beta", path: "/models/:model:embedContent", tag: "Gemini", summary: "Embed content", body: "json", inPath: ["model"], scope: write },
  batchEmbedContents:     { method: "POST",   prefix: "/v1beta", path: "/models/:model:batchEmbedContents", tag: "Gemini", summary: "Embed several contents", body: "json", inPath: ["model"], scope: write },
  listGeminiModels:       { method: "GET",    prefix: "/v1beta", path: "/models",        tag: "Gemini",      summary: "List models in the Gemini API's form", body: "none", scope: "models.list", uncounted: true },
  getGeminiModel:         { method: "GET",    prefix: "/v1beta", path: "/models/:model", tag: "Gemini",      summary: "Retrieve a model in the Gemini API's form", body: "none", slashes: true, scope: "models.list", uncounted: true },
  embed:                  { method: "POST",   path: "/embeddings",           tag: "Embeddings",  summary: "Create embeddings",          body: "json", scope: write },
  rerank:                 { method: "POST",   path: "/rerank",               tag: "Rerank",      summary: "Rank documents by a query",  body: "json", scope: write },
  decisions:              { method: "POST",   path: "/decisions",            tag: "Decisions",   summary: "Answer questions about a state", body: "json", scope: write },
  ocr:                    { method: "POST",   path: "/ocr",                  tag: "OCR",         summary: "Read a document",            body: "json", scope: write },
  moderate:               { method: "POST",   path: "/moderations",          tag: "Moderations", summary: "Classify content",           body: "json", scope: write },
  imageGenerate:          { method: "POST",   path: "/images/generations",   tag: "Images",      summary: "Create an image",            body: "json", scope: write },
  imageEdit:              { method: "POST",   path: "/images/edits",         tag: "Images",      summary: "Create an image edit",       body: "form", scope: write },
  imageVariation:         { method: "POST",   path: "/images/variations",    tag: "Images",      summary: "Create a variation of an image", body: "form", scope: write },
  createSpeech:           { method: "POST",   path: "/audio/speech",         tag: "Audio",       summary: "Create speech",              body: "json", scope: write },
  createTranscription:    { method: "POST",   path: "/audio/transcriptions", tag: "Audio",       summary: "Transcribe audio",           body: "form", scope: write },
  createTranslation:      { method: "POST",   path: "/audio/translations",   tag: "Audio",       summary: "Translate audio",            body: "form", scope: write },
  uploadFile:             { method: "POST",   path: "/files",                tag: "Files",       summary: "Upload a file",              body: "form", scope: write },
  listFiles:              { method: "GET",    path: "/files",                tag: "Files",       summary: "List files",                 body: "none", scope: write, uncounted: true },
  retrieveFile:           { method: "GET",    path: "/files/:file_id",       tag: "Files",       summary: "Retrieve a file",            body: "none", scope: write, uncounted: true },
  deleteFile:             { method: "DELETE", path: "/files/:file_id",       tag: "Files",       summary: "Delete a file",              body: "none", scope: write, uncounted: true },
  retrieveFileContent:    { method: "GET",    path: "/files/:file_id/content", tag: "Files",     summary: "Download a file",            body: "none", scope: write, uncounted: true },
  createBatch:            { method: "POST",   path: "/batches",              tag: "Batch",       summary: "Create a batch",             body: "json", scope: write },
  listBatches:            { method: "GET",    path: "/batches",              tag: "Batch",       summary: "List batches",               body: "none", scope: write, uncounted: true },
  retrieveBatch:          { method: "GET",    path: "/batches/:batch_id",    tag: "Batch",       summary: "Retrieve a batch",           body: "none", scope: write, uncounted: true },
  cancelBatch:            { method: "POST",   path: "/batches/:batch_id/cancel", tag: "Batch",   summary: "Cancel a batch",             body: "none", scope: write, uncounted: true },
  getBatchOutput:         { method: "GET",    path: "/batches/:batch_id/output", tag: "Batch",   summary: "Download a batch's output",  body: "none", scope: write, uncounted: true },
  createFinetune:         { method: "POST",   path: "/fine_tuning/jobs", tag: "Fine-Tuning", summary: "Create a fine-tuning job", body: "json", scope: write },
  listFinetunes:          { method: "GET",    path: "/fine_tuning/jobs", tag: "Fine-Tuning", summary: "List fine-tuning jobs", body: "none", scope: write, uncounted: true },
  retrieveFinetune:       { method: "GET",    path: "/fine_tuning/jobs/:fine_tuning_job_id", tag: "Fine-Tuning", summary: "Retrieve a fine-tuning job", body: "none", scope: write, uncounted: true },
  cancelFinetune:         { method: "POST",   path: "/fine_tuning/jobs/:fine_tuning_job_id/cancel", tag: "Fine-Tuning", summary: "Cancel a fine-tuning job", body: "none", scope: write, uncounted: true },
  pauseFineTuningJob:     { method: "POST",   path: "/fine_tuning/jobs/:fine_tuning_job_id/pause", tag: "Fine-Tuning", summary: "Pause a fine-tuning job", body: "none", scope: write, uncounted: true },
  resumeFineTuningJob:    { method: "POST",   path: "/fine_tuning/jobs/:fine_tuning_job_id/resume", tag: "Fine-Tuning", summary: "Resume a fine-tuning job", body: "none", scope: write, uncounted: true },
  listFineTuningEvents:   { method: "GET",    path: "/fine_tuning/jobs/:fine_tuning_job_id/events", tag: "Fine-Tuning", summary: "List a fine-tuning job's events", body: "none", scope: write, uncounted: true },
  listFineTuningJobCheckpoints: { method: "GET",    path: "/fine_tuning/jobs/:fine_tuning_job_id/checkpoints", tag: "Fine-Tuning", summary: "List a fine-tuning job's checkpoints", body: "none", scope: write, uncounted: true },
  createModelResponse:    { method: "POST",   path: "/responses",            tag: "Responses",   summary: "Create a response",          body: "json", streams: true, scope: write },
  getModelResponse:       { method: "GET",    path: "/responses/:response_id", tag: "Responses", summary: "Retrieve a response",        body: "none", scope: write, uncounted: true, flatErrors: true },
  deleteModelResponse:    { method: "DELETE", path: "/responses/:response_id", tag: "Responses", summary: "Delete a response",          body: "none", scope: write, uncounted: true, flatErrors: true },
  cancelModelResponse:    { method: "POST",   path: "/responses/:response_id/cancel", tag: "Responses", summary: "Cancel a response", body: "none", scope: write, uncounted: true, flatErrors: true },
  listResponseInputItems: { method: "GET",    path: "/responses/:response_id/input_items", tag: "Responses", summary: "List a response's input items", body: "none", scope: write, uncounted: true, flatErrors: true },
  listAssistants:         { method: "GET",    path: "/assistants", tag: "Assistants", summary: "List assistants", body: "none", scope: write, uncounted: true },
  createAssistant:        { method: "POST",   path: "/assistants", tag: "Assistants", summary: "Create an assistant", body: "json", scope: write },
  getAssistant:           { method: "GET",    path: "/assistants/:assistant_id", tag: "Assistants", summary: "Retrieve an assistant", body: "none", scope: write, uncounted: true },
  modifyAssistant:        { method: "POST",   path: "/assistants/:assistant_id", tag: "Assistants", summary: "Modify an assistant", body: "json", scope: write },
  deleteAssistant:        { method: "DELETE", path: "/assistants/:assistant_id", tag: "Assistants", summary: "Delete an assistant", body: "none", scope: write, uncounted: true },
  createThread:           { method: "POST",   path: "/threads", tag: "Assistants", summary: "Create a thread", body: "json", bodyOptional: true, scope: write },
  getThread:              { method: "GET",    path: "/threads/:thread_id", tag: "Assistants", summary: "Retrieve a thread", body: "none", scope: write, uncounted: true },
  modifyThread:           { method: "POST",   path: "/threads/:thread_id", tag: "Assistants", summary: "Modify a thread", body: "json", scope: write },
  deleteThread:           { method: "DELETE", path: "/threads/:thread_id", tag: "Assistants", summary: "Delete a thread", body: "none", scope: write, uncounted: true },
  listMessages:           { method: "GET",    path: "/threads/:thread_id/messages", tag: "Assistants", summary: "List a thread's messages", body: "none", scope: write, uncounted: true },
  createMessage:          { method: "POST",   path: "/threads/:thread_id/messages", tag: "Assistants", summary: "Add a message to a thread", body: "json", scope: write },
  getMessage:             { method: "GET",    path: "/threads/:thread_id/messages/:message_id", tag: "Assistants", summary: "Retrieve a message", body: "none", scope: write, uncounted: true },
  modifyMessage:          { method: "POST",   path: "/threads/:thread_id/messages/:message_id", tag: "Assistants", summary: "Modify a message", body: "json", scope: write },
  deleteMessage:          { method: "DELETE", path: "/threads/:thread_id/messages/:message_id", tag: "Assistants", summary: "Delete a message", body: "none", scope: write, uncounted: true },
  createThreadAndRun:     { method: "POST",   path: "/threads/runs", tag: "Assistants", summary: "Create a thread and run it", body: "json", streams: true, scope: write },
  listRuns:               { method: "GET",    path: "/threads/:thread_id/runs", tag: "Assistants", summary: "List a thread's runs", body: "none", scope: write, uncounted: true },
  createRun:              { method: "POST",   path: "/threads/:thread_id/runs", tag: "Assistants", summary: "Create a run", body: "json", streams: true, scope: write },
  getRun:                 { method: "GET",    path: "/threads/:thread_id/runs/:run_id", tag: "Assistants", summary: "Retrieve a run", body: "none", scope: write, uncounted: true },
  modifyRun:              { method: "POST",   path: "/threads/:thread_id/runs/:run_id", tag: "Assistants", summary: "Modify a run", body: "json", scope: write },
  submitToolOutputsToRun: { method: "POST",   path: "/threads/:thread_id/runs/:run_id/submit_tool_outputs", tag: "Assistants", summary: "Submit tool outputs to a run", body: "json", streams: true, scope: write },
  cancelRun:              { method: "POST",   path: "/threads/:thread_id/runs/:run_id/cancel", tag: "Assistants", summary: "Cancel a run", body: "none", scope: write, uncounted: true },
  listRunSteps:           { method: "GET",    path: "/threads/:thread_id/runs/:run_id/steps", tag: "Assistants", summary: "List a run's steps", body: "none", scope: write, uncounted: true },
  getRunStep:             { method: "GET",    path: "/threads/:thread_id/runs/:run_id/steps/:step_id", tag: "Assistants", summary: "Retrieve a run's step", body: "none", scope: write, uncounted: true },
  listVectorStores:       { method: "GET",    path: "/vector_stores", tag: "Vector Stores", summary: "List vector stores", body: "none", scope: write, uncounted: true },
  createVectorStore:      { method: "POST",   path: "/vector_stores", tag: "Vector Stores", summary: "Create a vector store", body: "json", scope: write },
  getVectorStore:         { method: "GET",    path: "/vector_stores/:vector_store_id", tag: "Vector Stores", summary: "Retrieve a vector store", body: "none", scope: write, uncounted: true },
  modifyVectorStore:      { method: "POST",   path: "/vector_stores/:vector_store_id", tag: "Vector Stores", summary: "Modify a vector store", body: "json", scope: write },
  deleteVectorStore:      { method: "DELETE", path: "/vector_stores/:vector_store_id", tag: "Vector Stores", summary: "Delete a vector store", body: "none", scope: write, uncounted: true },
  searchVectorStore:      { method: "POST",   path: "/vector_stores/:vector_store_id/search", tag: "Vector Stores", summary: "Search a vector store", body: "json", scope: write },
  listVectorStoreFiles:   { method: "GET",    path: "/vector_stores/:vector_store_id/files", tag: "Vector Stores", summary: "List vector store files", body: "none", scope: write, uncounted: true },
  createVectorStoreFile:  { method: "POST",   path: "/vector_stores/:vector_store_id/files", tag: "Vector Stores", summary: "Add a file to a vector store", body: "json", scope: write },
  getVectorStoreFile:     { method: "GET",    path: "/vector_stores/:vector_store_id/files/:file_id", tag: "Vector Stores", summary: "Retrieve a vector store file", body: "none", scope: write, uncounted: true },
  updateVectorStoreFileAttributes: { method: "POST",   path: "/vector_stores/:vector_store_id/files/:file_id", tag: "Vector Stores", summary: "Change a vector store file's attributes", body: "json", scope: write },
  deleteVectorStoreFile:  { method: "DELETE", path: "/vector_stores/:vector_store_id/files/:file_id", tag: "Vector Stores", summary: "Take a file out of a vector store", body: "none", scope: write, uncounted: true },
  retrieveVectorStoreFileContent: { method: "GET",    path: "/vector_stores/:vector_store_id/files/:file_id/content", tag: "Vector Stores", summary: "Read a vector store file's content", body: "none", scope: write, uncounted: true },
  createVectorStoreFileBatch: { method: "POST",   path: "/vector_stores/:vector_store_id/file_batches", tag: "Vector Stores", summary: "Add several files to a vector store", body: "json", scope: write },
  getVectorStoreFileBatch: { method: "GET",    path: "/vector_stores/:vector_store_id/file_batches/:batch_id", tag: "Vector Stores", summary: "Retrieve a file batch", body: "none", scope: write, uncounted: true },
  cancelVectorStoreFileBatch: { method: "POST",   path: "/vector_stores/:vector_store_id/file_batches/:batch_id/cancel", tag: "Vector Stores", summary: "Cancel a file batch", body: "none", scope: write, uncounted: true },
  listFilesInVectorStoreBatch: { method: "GET",    path: "/vector_stores/:vector_store_id/file_batches/:batch_id/files", tag: "Vector Stores", summary: "List the files of a batch", body: "none", scope: write, uncounted: true },
  retrieveModel:          { method: "GET",    path: "/models/:model",        tag: "Models",      summary: "Retrieve a model",           body: "none", slashes: true, scope: "models.list", uncounted: true },
  deleteModel:            { method: "DELETE", path: "/models/:model",        tag: "Models",      summary: "Delete a fine-tuned model",  body: "none", slashes: true, scope: write, uncounted: true },
  realtime:               { method: "GET",    path: "/realtime",             tag: "Realtime",    summary: "Open a realtime session (WebSocket)", body: "none", socket: true, scope: write },
  listModels:             { method: "GET",    path: "/models",               tag: "Models",      summary: "List models",                body: "none", scope: "models.list", uncounted: true },
} as const satisfies Record<string, Operation>;

/** Where paths of the data plane begin, unless their operation says otherwise. */
export const DATA_PREFIX = "/v1";
/** The whole path of an operation, as its clients ask it. */
export const wholePath = ({ prefix = DATA_PREFIX }: Pick<Operation, "prefix">, path: string): string => prefix + path;

/** An operation as people know it: `POST /v1/rerank`. */
export const shownOperation = (row: Pick<Operation, "method" | "prefix" | "path">): string => `${row.method} ${wholePath(row, row.path)}`;

export type OperationId = keyof typeof OPERATIONS;
export const OPERATION_IDS = Object.keys(OPERATIONS) as readonly OperationId[];
/** An operation of the table, or a plugin's own. */
export type OperationName = OperationId | (string & {});

/** An operation that a plugin brings itself. */
export interface OwnOperation extends Operation {
  /** `<plugin>.<name>`: what has no dot is a name of the table. */
  readonly id: string;
}
/** An operation as it is served. */
export interface MountedOperation extends Operation, OperationBodies {
  readonly id: OperationName;
  /** It goes to its provider as it came; absent for an operation that is asked by its own path. */
  readonly passes?: PassedBy;
}
/** What the plugin that mounts an operation says of its bodies. */
export interface OperationBodies {
  /** What they hold, for guardrails, logs and estimates; NO_CONTENT where that is nothing. */
  readonly content: BodyContent;
  /** The body of an error, with members of the gateway's own (`hook_results`, `provider`) beside it; default: OpenAI's form. */
  readonly failure?: (error: WireError, status: number, more: Readonly<Json>) => Json;
  /** Ids in them that belong to a workspace; absent where there are none. */
  readonly owned?: OwnedIds;
  /**
   * A provider's whole answer as this client reads it: in the form of another vendor's client, or with what the gateway knows
   * beside it. What the gateway answers itself (`local`) is the plugin's already.
   */
  readonly answered?: (answer: Json, to: AnsweredCall) => Json;
  /** Of a WebSocket: what its messages say. `content` is then that of the request that opens it. */
  readonly messages?: SocketMessages;
}

/** Who is answered, and by whom. */
export interface AnsweredCall {
  readonly call: Pick<Call, "headers" | "search">;
  /** Id of the provider. */
  readonly provider: string;
}

const isInTable = (id: string): id is OperationId => Object.hasOwn(OPERATIONS, id);
/** Could there be an operation of this name: one of the table, or one that a plugin brings? */
export const isOperationName = (id: unknown): id is OperationName => typeof id === "string" && (isInTable(id) || OWN_ID.test(id));
const OWN_ID = /^[a-z][a-z0-9_-]*\.[A-Za-z][A-Za-z0-9_]*$/;

/** The operation that a plugin mounts, with what its bodies hold. */
export const mountedOperation = (
  of: OperationId | OwnOperation,
  { content, failure, owned, answered, messages }: OperationBodies,
): MountedOperation => {
  const bodies: OperationBodies = {
    content,
    ...(failure && { failure }),
    ...(owned && { owned }),
    ...(answered && { answered }),
    ...(messages && { messages }),
  };
  return typeof of === "string" ? { ...OPERATIONS[of], id: of, ...bodies } : { ...of, ...bodies };
};

/** Request types that checks may allow or block: every operation, and what only passes through. */
export const REQUEST_TYPES = [...OPERATION_IDS, "proxy"] as const;
export type RequestType = OperationName | "proxy";
