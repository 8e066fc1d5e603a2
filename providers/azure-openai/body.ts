import { type AdapterInput, isJson, type Json } from "#contract";
import { conversationFor } from "../wires/openai/conversation.ts";
import { withoutPackedThoughts } from "../wires/openai/packed-thoughts.ts";
import { isV1, placeOf } from "./place.ts";

/** The body with the model that Azure reads there: the deployment in the v1 API, else the model behind it, if one is named. */
export function modelled(body: Json, { target, search }: AdapterInput): Json {
  const place = placeOf(target, search);
  return withModel(body, isV1(place) ? place.deployment : place.model);
}

/** The body of an operation whose model is always the deployment: the path does not name it. */
const deployed = (body: Json, { target, search }: AdapterInput): Json => withModel(body, placeOf(target, search).deployment);
export const response = (body: Json, ask: AdapterInput): Json => deployed(withoutPackedThoughts(body), ask);

/** The same where a body need not name one: a run without a model has its assistant's. */
export const deployedIfNamed = (body: Json, ask: AdapterInput): Json => (typeof body["model"] === "string" ? deployed(body, ask) : body);

/** The same object when nothing changes, so that its bytes can be sent as they came. */
const withModel = (body: Json, model: string | undefined): Json =>
  model === undefined || body["model"] === model ? body : { ...body, model };

/** Streamed chat can say its usage since this version (seen 2025-02); earlier ones refuse the member. */
const USAGE_IN_STREAMS_SINCE = "2024-09-01";
export function conversation(body: Json, ask: AdapterInput): Json {
  const accepted = acceptable(body);
  return modelled(refusesUsage(accepted, ask) ? withoutUsage(accepted) : accepted, ask);
}
const acceptable = conversationFor("azure-openai");

function refusesUsage(body: Json, { target, search }: AdapterInput): boolean {
  if (body["stream_options"] === undefined) return false;
  const place = placeOf(target, search);
  return !isV1(place) && place.version < USAGE_IN_STREAMS_SINCE;
}
const withoutUsage = ({ stream_options: _, ...rest }: Json): Json => rest;

/** Azure requires two members that the gateway's batch body lets a client leave out (specification E4). */
export function batch(body: Json, { target, search }: AdapterInput): Json {
  const endpoint = isV1(placeOf(target, search)) ? "/v1/chat/completions" : "/chat/completions";
  return { endpoint, completion_window: "24h", ...body };
}

/** Supervised tuning's parameters stand at the top in dated versions; other methods are known to versions that read `method`. */
export function tuning(body: Json, { target, search }: AdapterInput): Json {
  const { method, ...rest } = body;
  if (isV1(placeOf(target, search)) || !isJson(method) || method["type"] !== "supervised") return body;
  const supervised = isJson(method["supervised"]) ? method["supervised"] : {};
  return { ...rest, ...(supervised["hyperparameters"] !== undefined && { hyperparameters: supervised["hyperparameters"] }) };
}

const QUEUED: ReadonlySet<unknown> = new Set(["created", "pending"]);
/** A fine-tuning job with its state in OpenAI's words. */
export const tuned = (job: Json): Json => (QUEUED.has(job["status"]) ? { ...job, status: "queued" } : job);
export const tunedList = (page: Json): Json =>
  Array.isArray(page["data"]) ? { ...page, data: page["data"].map((job: unknown) => (isJson(job) ? tuned(job) : job)) } : page;
