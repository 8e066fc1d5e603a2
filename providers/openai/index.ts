import { Type } from "@sinclair/typebox";
import { definePlugin, type Endpoint, type Target } from "#contract";
import { models } from "./models.ts";
import { operations } from "./operations.ts";

const BASE_URL = "https://api.openai.com/v1";
const TRAILING_SLASHES = /\/+$/;

const OpenAiTarget = Type.Object(
  {
    openai_organization: Type.Optional(
      Type.String({ maxLength: 255, description: "Organisation id, sent as OpenAI-Organization.", clientHeader: "openai-organization" }),
    ),
    openai_project: Type.Optional(
      Type.String({ maxLength: 255, description: "Project id, sent as OpenAI-Project.", clientHeader: "openai-project" }),
    ),
    openai_beta: Type.Optional(
      Type.String({
        maxLength: 255,
        description: "Beta features, sent as OpenAI-Beta; assistants and vector stores default to assistants=v2.",
        clientHeader: "openai-beta",
      }),
    ),
  },
  { additionalProperties: false },
);

const NAMED = [
  ["openai_organization", "openai-organization"],
  ["openai_project", "openai-project"],
  ["openai_beta", "openai-beta"],
] as const;

/** OpenAI: every operation passes through, since its wire is the client's. */
export default definePlugin({
  kind: "provider",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({ provides: { target: OpenAiTarget, endpoint, dialect: ["chat", "completions", "responses"], operations, models } }),
});

function endpoint({ fields, apiKey, customHost }: Target): Endpoint {
  const headers: Record<string, string> = {};
  if (apiKey !== "") headers["authorization"] = `Bearer ${apiKey}`;
  for (const [field, header] of NAMED) if (typeof fields[field] === "string") headers[header] = fields[field];
  return { baseUrl: customHost?.replace(TRAILING_SLASHES, "") ?? BASE_URL, headers };
}
