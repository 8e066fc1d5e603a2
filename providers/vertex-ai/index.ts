import { definePlugin, type ErrorRead, isJson, type Provider, type Target } from "#contract";
import { readError as claudeError } from "../wires/anthropic/errors.ts";
import { readError as googleError } from "../wires/gemini/errors.ts";
import { accessTokens } from "./access-token.ts";
import { chat } from "./chat.ts";
import { countTokens as messagesCountTokens } from "./count-tokens.ts";
import { embed } from "./embed.ts";
import { endpoint, passingPath } from "./endpoint.ts";
import { messages } from "./messages.ts";
import { countTokens, generateContent, streamGenerateContent } from "./generate.ts";
import { federatedOf, federatedTokens } from "./federated-token.ts";
import { imageGenerate } from "./images.ts";
import { listModels } from "./list-models.ts";
import { models } from "./models.ts";
import { serviceAccountOf } from "./service-account.ts";
import { Settings } from "./settings.ts";
import { authTypeOf, fieldsOf, target } from "./target.ts";
import type { Outside } from "./token-endpoint.ts";

/** Claude's errors come as Anthropic writes them, or as Google does when they are Vertex's own. */
const error = (status: number, body: unknown): ErrorRead =>
  isJson(body) && body.type === "error" ? claudeError(status, body) : googleError(status, body);

/** Puts in the access token of the target's service account or federated identity, if it has one. */
function signing(outside: Outside, settings: Settings): NonNullable<Provider["sign"]> {
  const [ofAccount, ofIdentity] = [accessTokens(outside), federatedTokens(outside)];
  const tokenOf = (at: Target): Promise<string> | undefined => {
    const type = authTypeOf(at);
    if (type === "wif") return ofIdentity(federatedOf(at, settings));
    return type === "serviceAccount" ? ofAccount(serviceAccountOf(fieldsOf(at))) : undefined;
  };
  return async (request, at) => {
    const token = tokenOf(at);
    if (token === undefined) return request;
    const headers = new Headers(request.headers);
    headers.set("authorization", `Bearer ${await token}`);
    return { ...request, headers };
  };
}

/** Gemini and Claude models over Google Cloud's Vertex AI. */
export default definePlugin({
  kind: "provider",
  config: Settings,
  needs: ["net:*"],
  setup: (host, settings) => {
    const sign = signing({ fetch: host.fetch, now: () => host.now() }, settings);
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
