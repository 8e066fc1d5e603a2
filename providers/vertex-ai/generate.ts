import type { Adapter } from "#contract";
import { modelPath } from "./endpoint.ts";
import { vertexModel } from "./model.ts";

/* Google's own operations, for its own models: bodies and answers pass as they are. Claude is served by chat completions. */

const isGemini = (model: string): boolean => vertexModel(model).publisher === "google";

export const generateContent: Adapter = { serves: isGemini, path: (_body, { target }) => modelPath(target, "generateContent") };
/** A client that wants no events is given their data in one list by the gateway. */
export const streamGenerateContent: Adapter = {
  serves: isGemini,
  path: (_body, { target }) => modelPath(target, "streamGenerateContent?alt=sse"),
  frames: "sse",
};
export const countTokens: Adapter = { serves: isGemini, path: (_body, { target }) => modelPath(target, "countTokens") };
