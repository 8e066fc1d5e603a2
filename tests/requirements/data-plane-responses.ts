import { section } from "./row.ts";

export const dataPlaneResponses = section("Responses: create", [
  ["D7.10.create", "POST /v1/responses answers with a whole Response object, over providers with and without the API."],
  ["D7.10.native", "A provider with a Responses API gets the body as it came, and its answer and its stream pass byte for byte."],
  ["D7.10.native-vendors", "OpenAI, Azure, Groq, OpenRouter, xAI and Perplexity are asked by their own Responses API."],
  ["D7.10.query", "The query of a response and of its input items reaches such a vendor as it came."],
  ["D7.10.stream", "A streamed answer has every event in its order, numbered, and ends in completed, incomplete or failed."],
  ["D7.10.background", "A response in the background is counted and priced once, when its usage is first told."],
  ["D7.10.translated", "Every other provider serves it through chat completions."],
  ["D7.10.tools", "Functions and custom tools are called, and their results are read in a second turn."],
  ["D7.10.reasoning", "Thoughts come as reasoning items, and what a provider signed comes back to it in their order."],
  ["D7.10.input", "Input is a text or items: messages with texts, images and files, calls and their outputs."],
  ["D7.10.format", "text.format json_schema and json_object are asked of every provider."],
  [
    "D7.10.effort",
    "reasoning.effort is asked of each vendor in its own measure: tokens of Gemini 2.5, a share of the limit of Claude's models with budgets, the word elsewhere.",
  ],
  ["D7.10.thinking", "A body's own thinking wins over reasoning.effort."],
  ["D7.10.roles", "A developer's message is a system message where a vendor knows no developer."],
  ["D7.10.limits", "Members beyond their documented limits are refused by name."],
  ["D7.10.refused", "What only a provider with the API can do is refused by the member's name elsewhere."],
  ["D7.10.errors", "Errors have the data plane's form; in mid-stream they are an error event."],
  ["D7.10.guardrails", "Input and output guardrails apply, whole and streamed."],
  ["D7.10.clients", "openai, ai with @ai-sdk/openai and @openai/agents work with it unchanged."],
]);
