import { type TSchema, Type } from "@sinclair/typebox";
import { Nullable } from "#contract";

const open = { additionalProperties: true } as const;

const Part = Type.Object({}, { ...open, description: "One of `text`, `inlineData`, `fileData`, `functionCall`, `functionResponse` …" });
const Content = Type.Object(
  { role: Type.Optional(Nullable(Type.String({ description: "`user` or `model`." }))), parts: Type.Optional(Type.Array(Part)) },
  open,
);
const Tool = Type.Object({ functionDeclarations: Type.Optional(Nullable(Type.Array(Type.Object({}, open)))) }, open);
const GenerationConfig = Type.Object(
  {
    temperature: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 2 }))),
    topP: Type.Optional(Nullable(Type.Number({ minimum: 0, maximum: 1 }))),
    topK: Type.Optional(Nullable(Type.Number({ minimum: 0 }))),
    maxOutputTokens: Type.Optional(Nullable(Type.Integer({ minimum: 0, description: "Most tokens of the answer." }))),
    stopSequences: Type.Optional(Nullable(Type.Array(Type.String()))),
    candidateCount: Type.Optional(Nullable(Type.Integer({ minimum: 1, maximum: 128 }))),
    responseMimeType: Type.Optional(Nullable(Type.String({ description: "`text/plain` or `application/json`." }))),
    responseSchema: Type.Optional(Nullable(Type.Object({}, open))),
    responseJsonSchema: Type.Optional(Type.Unknown()),
    thinkingConfig: Type.Optional(Nullable(Type.Object({}, open))),
  },
  open,
);

const CONVERSATION = {
  contents: Type.Array(Content, { minItems: 1, description: "The conversation so far." }),
  systemInstruction: Type.Optional(Nullable(Type.Union([Content, Type.String()]))),
  tools: Type.Optional(Nullable(Type.Array(Tool))),
  toolConfig: Type.Optional(Nullable(Type.Object({}, open))),
  generationConfig: Type.Optional(Nullable(GenerationConfig)),
} satisfies Record<string, TSchema>;

export const GenerateBody = Type.Object(
  {
    ...CONVERSATION,
    safetySettings: Type.Optional(
      Nullable(Type.Array(Type.Object({}, open), { description: "For Google's own models; others have filters of their own." })),
    ),
    cachedContent: Type.Optional(Nullable(Type.String({ description: "For Google's own models only." }))),
  },
  { ...open, $id: "GenerateContentRequest" },
);
export const CountBody = Type.Object(
  {
    contents: Type.Optional(CONVERSATION.contents),
    generateContentRequest: Type.Optional(Nullable(Type.Object({}, { ...open, description: "A whole request, in place of contents." }))),
  },
  { ...open, $id: "CountTokensRequest" },
);
const EMBEDDED = {
  content: Content,
  taskType: Type.Optional(Nullable(Type.String({ description: "What the vectors are for, where the model is asked." }))),
  title: Type.Optional(Nullable(Type.String())),
  outputDimensionality: Type.Optional(Nullable(Type.Integer({ minimum: 1, description: "Length of the vectors." }))),
} satisfies Record<string, TSchema>;
const MAX_REQUESTS = 2048;
export const EmbedBody = Type.Object(EMBEDDED, { ...open, $id: "EmbedContentRequest" });
export const EmbedAllBody = Type.Object(
  { requests: Type.Array(Type.Object(EMBEDDED, open), { minItems: 1, maxItems: MAX_REQUESTS }) },
  { ...open, $id: "BatchEmbedContentsRequest" },
);

const count = (description: string) => Type.Integer({ minimum: 0, description });
const Usage = Type.Object(
  {
    promptTokenCount: count("All of the request, what was cached among it."),
    candidatesTokenCount: Type.Optional(count("The answer, thoughts excluded.")),
    thoughtsTokenCount: Type.Optional(count("Thoughts.")),
    cachedContentTokenCount: Type.Optional(count("Read from the prompt cache.")),
    totalTokenCount: count("All of it."),
  },
  open,
);
const Candidate = Type.Object(
  {
    content: Type.Optional(Content),
    finishReason: Type.Optional(Type.String({ description: "`STOP`, `MAX_TOKENS`, `SAFETY` …" })),
    index: Type.Optional(Type.Integer()),
  },
  open,
);
export const Generate200 = Type.Object(
  {
    candidates: Type.Optional(Type.Array(Candidate)),
    usageMetadata: Type.Optional(Usage),
    modelVersion: Type.Optional(Type.String()),
    responseId: Type.Optional(Type.String()),
  },
  { ...open, $id: "GenerateContentResponse" },
);
export const Count200 = Type.Object(
  { totalTokens: count("What the request would count as input.") },
  { ...open, $id: "CountTokensResponse" },
);
const Vector = Type.Object({ values: Type.Array(Type.Number()) }, open);
export const Embed200 = Type.Object({ embedding: Vector }, { ...open, $id: "EmbedContentResponse" });
export const EmbedAll200 = Type.Object({ embeddings: Type.Array(Vector) }, { ...open, $id: "BatchEmbedContentsResponse" });
/** What a query may say. A key in it is read, and goes no further. */
export const Query = Type.Object(
  { alt: Type.Optional(Type.String({ description: "`sse` for server-sent events; else the chunks come as one JSON list." })) },
  open,
);
