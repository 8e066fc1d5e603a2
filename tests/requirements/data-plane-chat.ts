import { section } from "./row.ts";

/** The inventory, chat and messages: what their clients and their providers may rely on. */
export const dataPlaneChat = [
  ...section("Inventory of operations", [
    ["D1.openai", "Every method of the official OpenAI client that is an operation of the specification reaches its provider."],
  ]),
  ...section("Chat and completions", [
    ["D7.1.clients", "LangChain's OpenAI classes work in their own main calls, by chat completions and by responses, over every wire."],
    [
      "D7.1.named",
      "A member that a provider does not have is refused by its name where an answer without it would be another one; the others arrive.",
    ],
    ["D7.1.errors", "An error has all that its provider said beside the message, and when to come back, from each provider."],
    ["D7.1.moved", "A conversation with tools that one vendor began goes on at another in mid-turn."],
  ]),
  ...section("Streaming", [
    ["D6.usage", "A stream says its usage in a last chunk of its own where that is asked."],
    ["D6.hooks-first", "Results of input guardrails lead the stream of a client that is not strict."],
  ]),
  ...section("Images", [
    ["D7.4.passes", "Members of newer models pass, and their answers byte for byte."],
    ["D7.4.partial", "Images are streamed while they are drawn, where that is asked."],
    ["D7.4.json-edit", "An edit may come as JSON, with its images as links."],
  ]),
  ...section("Audio", [
    ["D7.5.speech-events", "Speech comes as bytes, or as events where that is asked."],
    ["D7.5.unlogged", "Speech passes byte for byte and is not logged; its text is."],
    ["D7.5.formats", "A transcription comes as JSON, text, subtitles or with its times."],
    ["D7.5.pieces", "A transcription is streamed where that is asked."],
  ]),
  ...section("Messages", [
    ["D7.11.native", "Over Anthropic's own wire requests, answers and streams pass byte for byte."],
    ["D7.11.translated", "Over other wires each member becomes its counterpart, and what only Anthropic knows is left out."],
    ["D7.11.one-tuning", "Of temperature and top_p together an Anthropic model is sent the temperature alone."],
    ["D7.11.count", "count_tokens answers with the count, and records no cost."],
    ["D7.11.errors", "Errors have Anthropic's form."],
    ["D7.11.clients", "The Anthropic provider of the AI SDK works over Anthropic's wire, by translation and offline."],
  ]),
];
