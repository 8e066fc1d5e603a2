import { section } from "./row.ts";

export const gemini = section("Gemini", [
  ["D7.gemini.generate", "generateContent and streamGenerateContent answer under /v1beta/models/{model}, over every provider."],
  [
    "D7.gemini.native",
    "Google's own models get the client's bytes and the client theirs, whole and streamed; Vertex AI likewise at its own path.",
  ],
  ["D7.gemini.list", "Without alt=sse a stream is one JSON list of the same chunks."],
  ["D7.gemini.key", "The gateway's key may come in x-goog-api-key or in the query, from where it is neither logged nor sent on."],
  [
    "D7.gemini.model",
    "The path names the model: overrides, @slug/model and guardrails see it as any other; the body's own word for it does not count.",
  ],
  ["D7.gemini.signatures", "Thoughts come back to their vendor with their signatures over two turns with a function."],
  ["D7.gemini.refused", "What only Google's models have is refused by its name over other providers."],
  ["D7.gemini.count", "countTokens is answered natively, and by the count of the messages form elsewhere."],
  ["D7.gemini.embed", "embedContent and batchEmbedContents are answered natively, and by embeddings elsewhere."],
  ["D7.gemini.errors", "Errors have Google's form and are thrown in its client's own class."],
  ["D7.gemini.guarded", "Guardrails judge and change requests, answers and streams of this form."],
  ["D7.gemini.ai-sdk", "The Google provider of the AI SDK works over Google's wire and by translation."],
]);
