import { Type } from "@sinclair/typebox";
import { definePlugin, type ErrorRead, isJson, type Provider } from "#contract";
import { readError as claudeError } from "../wires/anthropic/errors.ts";
import { readError as googleError } from "../wires/gemini/errors.ts";
import { accessTokens } from "./access-token.ts";
import { chat } from "./chat.ts";
import { countTokens as messagesCountTokens } from "./count-tokens.ts";
import { embed } from "./embed.ts";
import { endpoint, passingPath } from "./endpoint.ts";
import { messages } from "./messages.ts";
import { countTokens, generateContent, streamGenerateContent } from "./generate.ts";
import { imageGenerate } from "./images.ts";
import { listModels } from "./list-models.ts";
import { models } from "./models.ts";
import { serviceAccountOf } from "./service-account.ts";
import { authTypeOf, fieldsOf, target } from "./target.ts";

/** Claude's errors come as Anthropic writes them, or as Google does when they are Vertex's own. */
const error = (status: number, body: unknown): ErrorRead =>
  isJson(body) && body.type === "error" ? claudeError(status, body) : googleError(status, body);

/** Puts in the access token of the target's service account, if it has one. */
function signing(tokenOf: ReturnType<typeof accessTokens>): NonNullable<Provider["sign"]> {
  return async (request, at) => {
    if (authTypeOf(at) !== "serviceAccount") return request;
    const headers = new Headers(request.headers);
    headers.set("authorization", `Bearer ${await tokenOf(serviceAccountOf(fieldsOf(at)))}`);
    return { ...request, headers };
  };
}

/** Gemini and Claude models over Google Cloud's Vertex AI. */
export default definePlugin({
  kind: "provider",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["net:*"],
  setup: (host) => {
    const sign = signing(accessTokens({ fetch: host.fetch, now: () => host.now() }));
    return {
      provides: {
        target,
        endpoint,
        sign,
        dialect: ["messages", "gemini"],
        passes: { path: passingPath },
        operations: {
          chatComplete: chat,
          messages,
          messagesCountTokens,
          generateContent,
          streamGenerateContent,
          countTokens,
          embed,
          imageGenerate: imageGenerate(() => host.now()),
          listModels,
        },
        models,
        error,
      },
    };
  },
});
