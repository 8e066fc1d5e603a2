import { type Adapter, isJson, type Json } from "#contract";
import { obeying } from "./answering.ts";
import { messages, textOf } from "./message.ts";
import { tokens } from "./speech.ts";

/** As many as a message's answer would say that it was asked with. */
export const countTokens = {
  messagesCountTokens: {
    answer: obeying(async (body) => ({ input_tokens: tokens([...systemOf(body), ...messages(body)].map(textOf)) })),
  },
} satisfies Record<string, Adapter>;

const systemOf = ({ system }: Json): readonly Json[] =>
  typeof system === "string" || (Array.isArray(system) && system.every(isJson)) ? [{ role: "system", content: system }] : [];
