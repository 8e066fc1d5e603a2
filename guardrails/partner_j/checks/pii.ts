import { type Static, Type } from "@sinclair/typebox";
import { type Json, OneOf, RedactParam, remoteCheckOfEach, SAID, type TextFinding, vendorParams } from "#contract";
import { accessBy, addressOf } from "../access.ts";
import { Credentials } from "../credentials.ts";
import type { Host } from "../token.ts";

const Word = (usual: string, description: string) => Type.String({ default: usual, pattern: "^[\\w.-]+$", maxLength: 64, description });
const Params = Type.Object({
  domain: OneOf(["none", "phi"], { default: "none", description: "`phi` looks for health data." }),
  apiVersion: Word("2024-11-01", "Version of the vendor's API."),
  modelVersion: Word("latest", "Version of the model."),
  language: Word("en", "Language of the texts."),
  piiCategories: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 64, description: "Category." }), {
      maxItems: 200,
      description: "Categories to look for; default: all.",
    }),
  ),
  redact: RedactParam,
  ...vendorParams(),
});
const Document = Type.Object({
  redactedText: Type.Optional(Type.String()),
  entities: Type.Array(Type.Object({ category: Type.String() })),
});
/** Characters that the vendor takes at one time. */
const MAX_TEXT = 5_000;

export default (host: Host) => {
  const access = accessBy(host);
  return remoteCheckOfEach(host, {
    id: "partner_j.pii",
    title: "No personal data",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    transforms: true,
    params: Params,
    credentials: Credentials,
    reply: Type.Object({ results: Type.Object({ documents: Type.Array(Document, { minItems: 1, maxItems: 1 }) }) }),
    url: ({ params }, account) => addressOf(account, "/language/:analyze-text", params.apiVersion),
    headers: (_, account) => access(account),
    longest: MAX_TEXT,
    ask: ({ text }, { params }) => bodyOf(text, params),
    judge: ({ results }, _, { params }) => findingOf(results.documents[0] as Static<typeof Document>, params.redact), // there is one, by the schema
  });
};

const bodyOf = (text: string, { domain, modelVersion, piiCategories, language }: Static<typeof Params>): Json => ({
  kind: "PiiEntityRecognition",
  parameters: { domain, modelVersion, piiCategories },
  analysisInput: { documents: [{ id: "0", text, language }] },
});

function findingOf({ entities, redactedText }: Static<typeof Document>, redact: boolean): TextFinding {
  if (entities.length === 0) return { reason: null };
  const categories = [...new Set(entities.map(({ category }) => category))];
  const finding = { reason: `Personal data: ${categories.join(", ")}.`, data: { entities: categories } };
  return redact && redactedText !== undefined ? { ...finding, redacted: redactedText } : finding;
}
