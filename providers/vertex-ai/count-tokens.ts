import { type Adapter, GatewayError } from "#contract";
import { withoutForeign } from "../wires/anthropic/foreign.ts";
import { modelPath } from "./endpoint.ts";
import { vertexModel } from "./model.ts";
import { PROVIDER } from "./target.ts";

/** Counts a message's tokens of Claude: a model of its own does it, and the body names the model that is meant. */
export const countTokens: Adapter = {
  path: (_body, { target }) => modelPath({ ...target, model: "anthropic.count-tokens" }, "rawPredict"),
  request(body, { target }) {
    const { publisher, name } = vertexModel(target.model);
    if (publisher !== "anthropic") throw notClaude();
    return { ...withoutForeign(body), model: name };
  },
};

const notClaude = (): GatewayError =>
  new GatewayError(
    "OPERATION_UNSUPPORTED",
    { provider: PROVIDER, operation: "POST /v1/messages/count_tokens for Gemini", instead: "It does for Claude" },
    { param: "model" },
  );
