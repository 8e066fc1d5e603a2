import { section } from "./row.ts";

/** What holds for any client dialect over any provider. */
export const dataPlaneDialects = section("Any dialect in, any provider out", [
  [
    "D8.moved",
    "A conversation moved by fallback in the middle of a tool call goes on, between any two of anthropic, bedrock, google, mistral-ai, groq and openai.",
  ],
  [
    "D8.cells",
    "Every cell of docs/dialects.md holds: what it says is carried is sent and told, what it says is refused is refused by the gateway.",
  ],
  ["D7.gemini.models.list", "GET /v1beta/models lists in Google's form what GET /v1/models lists, page by page."],
  ["D7.gemini.models.get", "GET /v1beta/models/{model} gives one of them in Google's form."],
  ["D8.signatures", "A vendor gets its own signatures back as it gave them, and never another vendor's, whatever the client's dialect."],
]);
