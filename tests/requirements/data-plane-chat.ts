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
  ...section("Messages", [
    ["D7.11.clients", "The Anthropic provider of the AI SDK works over Anthropic's wire, by translation and offline."],
  ]),
];
