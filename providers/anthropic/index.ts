import { Type } from "@sinclair/typebox";
import { definePlugin, type Endpoint, type Target } from "#contract";
import { betaHeader } from "../wires/anthropic/betas.ts";
import { readError } from "../wires/anthropic/errors.ts";
import { chat } from "./chat.ts";
import { listModels, retrieveModel } from "./list-models.ts";
import { messages } from "./messages.ts";
import { models } from "./models.ts";

const target = Type.Object({
  anthropic_version: Type.Optional(
    Type.String({
      default: "2023-06-01",
      maxLength: 64,
      clientHeader: "anthropic-version",
      description: "Version of the Anthropic API, sent as `anthropic-version`.",
    }),
  ),
  anthropic_beta: Type.Optional(
    Type.Union([Type.String({ maxLength: 2048 }), Type.Array(Type.String({ maxLength: 256 }), { maxItems: 100 })], {
      clientHeader: "anthropic-beta",
      description: "Beta features, comma-separated or as a list, sent as `anthropic-beta`.",
    }),
  ),
});

function endpoint({ fields, apiKey, customHost }: Target): Endpoint {
  return {
    baseUrl: customHost?.replace(/\/+$/, "") ?? "https://api.anthropic.com/v1",
    headers: {
      ...(apiKey !== "" && { "x-api-key": apiKey }),
      "anthropic-version": String(fields.anthropic_version ?? "2023-06-01"),
      ...betaHeader(fields.anthropic_beta),
    },
  };
}

const operations = {
  chatComplete: chat,
  messages,
  messagesCountTokens: messages,
  listModels,
  retrieveModel,
};

/** Claude models over Anthropic's Messages wire. */
export default definePlugin({
  kind: "provider",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({ provides: { target, endpoint, dialect: "messages", operations, models, error: readError } }),
});
