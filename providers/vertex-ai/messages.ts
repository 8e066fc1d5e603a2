import type { Adapter } from "#contract";
import { betaHeader } from "../wires/anthropic/betas.ts";
import { withoutKeptFiles } from "../wires/anthropic/kept-files.ts";
import { nativeRequest, wantsFormat } from "../wires/anthropic/native.ts";
import { modelPath } from "./endpoint.ts";
import { vertexModel } from "./model.ts";
import { claudeVersion, fieldsOf, PROVIDER } from "./target.ts";

/**
 * Messages to Claude, in Anthropic's own form: the model stands in the URL, and the version in the body. Vertex knows no
 * structured output: an answer in a schema is asked for by way of chat, through a tool.
 */
export const messages: Adapter = {
  serves: (model, body) => vertexModel(model).publisher === "anthropic" && !wantsFormat(body),
  path: (_body, { target, stream }) => modelPath(target, stream ? "streamRawPredict" : "rawPredict"),
  request: (body, { target }) => {
    const { model: _model, output_config: _config, ...message } = nativeRequest(withoutKeptFiles(body, PROVIDER));
    return { anthropic_version: claudeVersion(target), ...message };
  },
  headers: (_body, { target }) => betaHeader(fieldsOf(target).anthropic_beta),
};
