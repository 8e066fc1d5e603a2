import type { BodyContent } from "./content.ts";
import type { Json } from "./json.ts";
import type { OwnedIds } from "./owned.ts";
import type { WireError } from "./stream.ts";

/** What an operation is, whoever mounts it. */
export interface Operation {
  readonly method: "GET" | "POST" | "DELETE";
  /** Below `/v1`; `:name` marks a path parameter. */
  readonly path: string;
  /** Documentation group, as in specification part 1. */
  readonly tag: string;
  readonly summary: string;
  /** How the request body travels: parsed JSON, a streamed multipart form, or none. */
  readonly body: "json" | "form" | "none";
  /** May the client ask for a stream with `"stream": true`? */
  readonly streams?: true;
  /** Scope a key needs. */
  readonly scope: string;
  /** Metadata operations (reading a batch or a file) do not count against rate limits. */
  readonly uncounted?: true;
  /** Error bodies carry the flat members `code message param type` (specification part 7.4). */
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
  embed:                  { method: "POST",   path: "/embeddings",           tag: "Embeddings",  summary: "Create embeddings",          body: "json", scope: write },
  rerank:                 { method: "POST",   path: "/rerank",               tag: "Rerank",      summary: "Rank documents by a query",  body: "json", scope: write },
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
  createFinetune:         { method: "POST",   path: "/fine_tuning/jobs",     tag: "Fine-Tuning", summary: "Create a fine-tuning job",   body: "json", scope: write },
  listFinetunes:          { method: "GET",    path: "/fine_tuning/jobs",     tag: "Fine-Tuning", summary: "List fine-tuning jobs",      body: "none", scope: write, uncounted: true },
  retrieveFinetune:       { method: "GET",    path: "/fine_tuning/jobs/:job_id", tag: "Fine-Tuning", summary: "Retrieve a fine-tuning job", body: "none", scope: write, uncounted: true },
  cancelFinetune:         { method: "POST",   path: "/fine_tuning/jobs/:job_id/cancel", tag: "Fine-Tuning", summary: "Cancel a fine-tuning job", body: "none", scope: write, uncounted: true },
  createModelResponse:    { method: "POST",   path: "/responses",            tag: "Responses",   summary: "Create a response",          body: "json", streams: true, scope: write },
  getModelResponse:       { method: "GET",    path: "/responses/:response_id", tag: "Responses", summary: "Retrieve a response",        body: "none", scope: write, uncounted: true, flatErrors: true },
  deleteModelResponse:    { method: "DELETE", path: "/responses/:response_id", tag: "Responses", summary: "Delete a response",          body: "none", scope: write, uncounted: true, flatErrors: true },
  cancelModelResponse:    { method: "POST",   path: "/responses/:response_id/cancel", tag: "Responses", summary: "Cancel a response", body: "none", scope: write, uncounted: true, flatErrors: true },
  listResponseInputItems: { method: "GET",    path: "/responses/:response_id/input_items", tag: "Responses", summary: "List a response's input items", body: "none", scope: write, uncounted: true, flatErrors: true },
  listAssistants:         { method: "GET",    path: "/assistants",           tag: "Assistants",  summary: "List assistants",            body: "none", scope: write, uncounted: true },
  listVectorStoreFiles:   { method: "GET",    path: "/vector_stores/:vector_store_id/files", tag: "Vector Stores", summary: "List vector store files", body: "none", scope: write, uncounted: true },
  listModels:             { method: "GET",    path: "/models",               tag: "Models",      summary: "List models",                body: "none", scope: "models.list", uncounted: true },
} as const satisfies Record<string, Operation>;

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
}
/** What the plugin that mounts an operation says of its bodies. */
export interface OperationBodies {
  /** What they hold, for guardrails, logs and estimates; NO_CONTENT where that is nothing. */
  readonly content: BodyContent;
  /** The body of an error, with members of the gateway's own (`hook_results`, `provider`) beside it; default: OpenAI's form. */
  readonly failure?: (error: WireError, status: number, more: Readonly<Json>) => Json;
  /** Ids in them that belong to a workspace; absent where there are none. */
  readonly owned?: OwnedIds;
}

const isInTable = (id: string): id is OperationId => Object.hasOwn(OPERATIONS, id);
/** Could there be an operation of this name: one of the table, or one that a plugin brings? */
export const isOperationName = (id: unknown): id is OperationName => typeof id === "string" && (isInTable(id) || OWN_ID.test(id));
const OWN_ID = /^[a-z][a-z0-9_-]*\.[A-Za-z][A-Za-z0-9_]*$/;

/** The operation that a plugin mounts, with what its bodies hold. */
export const mountedOperation = (of: OperationId | OwnOperation, { content, failure, owned }: OperationBodies): MountedOperation => {
  const bodies: OperationBodies = { content, ...(failure && { failure }), ...(owned && { owned }) };
  return typeof of === "string" ? { ...OPERATIONS[of], id: of, ...bodies } : { ...of, ...bodies };
};

/**
 * Request types that checks may allow or block (specification 2.6): every operation, plus the two that are
 * connections rather than operations.
 */
export const REQUEST_TYPES = [...OPERATION_IDS, "proxy", "realtime"] as const;
export type RequestType = OperationName | "proxy" | "realtime";
