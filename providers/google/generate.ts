import { type Adapter, isJson, type Json } from "#contract";
import { modelPath } from "./model-path.ts";

/* Google's own operations: bodies and answers pass as they are. The model that counts is the path's. */

const withModel = (request: Json, model: string): Json => (request.model === model ? request : { ...request, model });

export const generateContent: Adapter = { path: (_body, ask) => `/v1beta/${modelPath(ask)}:generateContent` };
/** A client that wants no events is given their data in one list by the gateway. */
export const streamGenerateContent: Adapter = {
  path: (_body, ask) => `/v1beta/${modelPath(ask)}:streamGenerateContent?alt=sse`,
  frames: "sse",
};
export const countTokens: Adapter = {
  path: (_body, ask) => `/v1beta/${modelPath(ask)}:countTokens`,
  request({ generateContentRequest: request, ...body }, ask) {
    return isJson(request) ? { ...body, generateContentRequest: withModel(request, modelPath(ask)) } : body;
  },
};
export const embedContent: Adapter = { path: (_body, ask) => `/v1beta/${modelPath(ask)}:embedContent` };
export const batchEmbedContents: Adapter = {
  path: (_body, ask) => `/v1beta/${modelPath(ask)}:batchEmbedContents`,
  request({ requests, ...body }, ask) {
    const entries = Array.isArray(requests) ? requests.filter(isJson) : [];
    return { ...body, requests: entries.map((entry) => withModel(entry, modelPath(ask))) };
  },
};
