import { Buffer } from "node:buffer";
import { type Adapter, GatewayError, type Json } from "#contract";
import { withoutForeign } from "../wires/anthropic/foreign.ts";
import { mayBeClaude } from "./families.ts";
import { CLAUDE_VERSION } from "./invoke-messages.ts";
import { modelPath } from "./model-path.ts";

/** The body of an invocation must say how long its answer may be; a count does not depend on it. */
const MAX_TOKENS = 10;

/** Counts a message's tokens over CountTokens, which takes Claude's own body as one text. */
export const countTokens: Adapter = {
  path: (_body, { target }) => `${modelPath(target.model)}/count-tokens`,
  request({ model, stream: _stream, ...message }) {
    if (!mayBeClaude(String(model))) throw notClaude();
    const body = { anthropic_version: CLAUDE_VERSION, max_tokens: MAX_TOKENS, ...withoutForeign(message) };
    return { input: { invokeModel: { body: Buffer.from(JSON.stringify(body)).toString("base64") } } };
  },
  response: ({ inputTokens }): Json => ({ input_tokens: inputTokens }),
};

const notClaude = (): GatewayError =>
  new GatewayError(
    "OPERATION_UNSUPPORTED",
    { provider: "bedrock", operation: "POST /v1/messages/count_tokens for this model", instead: "It does for Claude" },
    { param: "model" },
  );
