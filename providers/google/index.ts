import { Type } from "@sinclair/typebox";
import { type AdapterInput, definePlugin, type Endpoint, type Target } from "#contract";
import { readError } from "../wires/gemini/errors.ts";
import { chat } from "./chat.ts";
import { embed } from "./embed.ts";
import { batchEmbedContents, countTokens, embedContent, generateContent, streamGenerateContent } from "./generate.ts";
import { listModels, retrieveModel } from "./list-models.ts";

/** What the workspace's catalogue lists for Google; other model ids work as well. */
const models = [
  "gemini-3.1-pro-preview",
  "gemini-3-pro-preview",
  "gemini-3-flash-preview",
  "gemini-2.5-pro",
  "gemini-2.5-flash",
  "gemini-2.5-flash-lite",
  "gemini-embedding-001",
] as const;

/** The key travels in a header; Google's own examples put it into the URL, where logs and proxies would keep it. */
function endpoint({ apiKey, customHost }: Target): Endpoint {
  return {
    baseUrl: customHost?.replace(/\/+$/, "") ?? "https://generativelanguage.googleapis.com",
    headers: apiKey === "" ? {} : { "x-goog-api-key": apiKey },
  };
}

/** Versions stand in the path: one that is not said is the one that its operations are asked at. */
const passingPath = ({ path }: AdapterInput): string => (VERSIONED.test(path) ? path : `/v1beta${path}`);
const VERSIONED = /^\/(?:upload\/)?v1(?:beta|alpha)?(?:\/|$)/;

/** Gemini models over the Gemini API. */
export default definePlugin({
  kind: "provider",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({
    provides: {
      target: Type.Object({}),
      endpoint,
      dialect: "gemini",
      passes: { path: passingPath },
      operations: {
        chatComplete: chat,
        generateContent,
        streamGenerateContent,
        countTokens,
        embed,
        embedContent,
        batchEmbedContents,
        listModels,
        retrieveModel,
      },
      models,
      error: readError,
    },
  }),
});
