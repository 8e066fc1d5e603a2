import { Buffer } from "node:buffer";
import { type Adapter, type Frame, isJson, type Json, parseJson } from "#contract";
import { withoutKeptFiles } from "../wires/anthropic/kept-files.ts";
import { nativeRequest, wantsFormat } from "../wires/anthropic/native.ts";
import { failure, isFailure } from "./errors.ts";
import { familyOf, traitsOf } from "./families.ts";
import { modelPath, plainModel } from "./model-path.ts";

/** `anthropic_version` of every body to Claude. */
export const CLAUDE_VERSION = "bedrock-2023-05-31";

/** Newer models refuse structured output: an answer in a schema is asked for by way of Converse, through a tool. */
const promises = (model: string, body: Json): boolean => traitsOf(model).structured || !wantsFormat(body);

/** `{bytes: <an event of Anthropic's>}`; errors come as frames of their own. */
function unwrap({ event, data }: Frame): Frame {
  const payload: unknown = data === "" ? {} : parseJson(data);
  if (isFailure(event)) throw failure(event, payload);
  const bytes = isJson(payload) && typeof payload.bytes === "string" ? payload.bytes : "";
  return { event: "", data: Buffer.from(bytes, "base64").toString("utf8") };
}

/** Messages to Claude over InvokeModel, in Anthropic's own form; model and streaming stand in the URL, the version in the body. */
export const messages: Adapter = {
  serves: (model, body) => familyOf(plainModel(model)) === "anthropic" && promises(plainModel(model), body),
  path: (_body, { target, stream }) => `${modelPath(target.model)}/${stream ? "invoke-with-response-stream" : "invoke"}`,
  headers: (_body, { stream }) => ({ accept: stream ? "application/vnd.amazon.eventstream" : "application/json" }),
  frames: "aws-eventstream",
  unwrap,
  request: (body) => {
    const { model: _model, stream: _stream, ...message } = nativeRequest(withoutKeptFiles(body, "bedrock"));
    return { anthropic_version: CLAUDE_VERSION, ...message };
  },
};
