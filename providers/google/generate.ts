import { type Adapter, isJson, type Json } from "#contract";
import { nativeRequest } from "../wires/gemini/native.ts";
import { modelPath } from "./model-path.ts";

/* Google's own operations: bodies and answers pass as they are, but for what another vendor left in them. The model that counts is the path's. */

const own: NonNullable<Adapter["request"]> = (body, { target }) => nativeRequest(body, target.model);
const withModel = (request: Json, model: string): Json => (request.model === model ? request : { ...request, model });

export const generateContent: Adapter = { path: (_body, ask) => `/v1beta/${modelPath(ask)}:generateContent`, request: own };
/** A client that wants no events is given their data in one list by the gateway. */
export const streamGenerateContent: Adapter = {
  path: (_body, ask) => `/v1beta/${modelPath(ask)}:streamGenerateContent?alt=sse`,
  frames: "sse",
  request: own,
};
export const countTokens: Adapter = {
  path: (_body, ask) => `/v1beta/${modelPath(ask)}:countTokens`,
  request({ generateContentRequest: request, ...body }, ask) {
    if (!isJson(request)) return own(body, ask);
    return { ...body, generateContentRequest: withModel(nativeRequest(request, ask.target.model), modelPath(ask)) };
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
