import { Type } from "@sinclair/typebox";
import { definePlugin, type OperationRoute } from "#contract";
import { Count200, CountBody, Embed200, EmbedAll200, EmbedAllBody, EmbedBody, Generate200, GenerateBody, Query } from "./body.ts";
import { ALL_EMBEDDED, COUNTED, EMBEDDED, GENERATED } from "./content.ts";
import { gemini } from "./dialect.ts";
import { owned } from "./owned.ts";
import { errorBody } from "../content/google-failure.ts";
import { countOf, messagesCount } from "./served/count.ts";
import { embedAllAnswer, embedAllRequest, embedAnswer, embedRequest } from "./served/embed.ts";

const content = { parts: [{ text: "Hello" }] };
const question = { contents: [{ role: "user", ...content }] };
const failure = errorBody;

/** Models that answer offline. */
const [ECHO, EMBEDDING] = [{ model: "echo" }, { model: "sandbox-embedding" }];

const generate = {
  content: GENERATED,
  failure,
  owned,
  body: GenerateBody,
  reply: Generate200,
  examples: { "A question": question },
  exampleParams: ECHO,
};
const OPERATIONS: readonly OperationRoute[] = [
  {
    ...generate,
    operation: "generateContent",
    description:
      "Google's Gemini API, over any provider: natively where the provider has it, else by its chat completions. `safetySettings` and `labels` are for Google's own models and mean nothing to others; a tool of Google's and `cachedContent` are refused there.",
  },
  {
    ...generate,
    operation: "streamGenerateContent",
    query: Query,
    description: "The same as a stream: server-sent events with `?alt=sse`, else one JSON list of chunks.",
  },
  {
    operation: "countTokens",
    content: COUNTED,
    failure,
    owned,
    body: CountBody,
    reply: Count200,
    served: { by: "messagesCountTokens", request: messagesCount, answer: countOf },
    examples: { "A question": question },
    exampleParams: ECHO,
    description: "How many input tokens a request would have; nothing is generated, and it costs nothing.",
  },
  {
    operation: "embedContent",
    content: EMBEDDED,
    failure,
    owned,
    body: EmbedBody,
    reply: Embed200,
    served: { by: "embed", request: embedRequest, answer: embedAnswer },
    examples: { "A text": { content } },
    exampleParams: EMBEDDING,
  },
  {
    operation: "batchEmbedContents",
    content: ALL_EMBEDDED,
    failure,
    owned,
    body: EmbedAllBody,
    reply: EmbedAll200,
    served: { by: "embed", request: embedAllRequest, answer: embedAllAnswer },
    examples: { "Two texts": { requests: [{ content }, { content: { parts: [{ text: "World" }] } }] } },
    exampleParams: EMBEDDING,
    description: "Several contents at once: what Google's own client asks for any number of them. All are of the path's model.",
  },
];

/** Google's Gemini API below `/v1beta`, and the dialect it is answered in. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({ provides: { operations: OPERATIONS, dialects: [gemini], keyHeaders: ["x-goog-api-key"] } }),
});
