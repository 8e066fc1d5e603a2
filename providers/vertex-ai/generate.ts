import type { Adapter } from "#contract";
import { nativeRequest } from "../wires/gemini/native.ts";
import { modelPath } from "./endpoint.ts";
import { vertexModel } from "./model.ts";

/* Google's own operations, for its own models: bodies and answers pass as they are, but for what another vendor left in them. Claude is served by chat completions. */

const request: NonNullable<Adapter["request"]> = (body, { target }) => nativeRequest(body, target.model);
const isGemini = (model: string): boolean => vertexModel(model).publisher === "google";

export const generateContent: Adapter = { serves: isGemini, path: (_body, { target }) => modelPath(target, "generateContent"), request };
/** A client that wants no events is given their data in one list by the gateway. */
export const streamGenerateContent: Adapter = {
  serves: isGemini,
  path: (_body, { target }) => modelPath(target, "streamGenerateContent?alt=sse"),
  frames: "sse",
  request,
};
export const countTokens: Adapter = { serves: isGemini, path: (_body, { target }) => modelPath(target, "countTokens"), request };
