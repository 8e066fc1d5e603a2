import { type Collected, type CollectedChoice, isJson, type Json, type JudgedAnswer, type StreamEvent } from "#contract";
import { orderedEvents } from "../content/ordered-events.ts";
import { list } from "../content/conversation.ts";

const answerBody = ({ id, model, choices }: Collected): Json => ({
  ...(id !== undefined && { id }),
  object: "chat.completion",
  ...(model !== undefined && { model }),
  choices: choices.map((choice, index) => ({ index, message: messageFrom(choice), finish_reason: choice.finish ?? null })),
});

function messageFrom({ text, reasoning, tools, refusal }: CollectedChoice): Json {
  const thoughts = thoughtsOf(reasoning);
  return {
    role: "assistant",
    content: text === "" && tools.length > 0 ? null : text,
    ...(thoughts !== "" && { reasoning_content: thoughts }),
    ...(refusal !== undefined && { refusal }),
    ...(tools.length > 0 && {
      tool_calls: tools.map(({ id, name, arguments: args }) => ({ id, type: "function", function: { name, arguments: args } })),
    }),
  };
}
const thoughtsOf = (reasoning: CollectedChoice["reasoning"]): string => reasoning.map(({ text }) => text).join("");

/** The events of an answer as guardrails changed it. What they did not change keeps its signatures. */
function answerEvents(answer: Collected, body: Json): readonly StreamEvent[] {
  const { id, model, created, usage, choices } = answer;
  const messages = list(body["choices"]).map((choice) => (isJson(choice) && isJson(choice["message"]) ? choice["message"] : {}));
  return [
    { type: "start", ...(id !== undefined && { id }), ...(model !== undefined && { model }), ...(created !== undefined && { created }) },
    ...choices.flatMap((choice, index) => contentEvents(choice, messages[index] ?? {}, index)),
    ...choices.map(
      ({ finish, native }, choice): StreamEvent => ({
        type: "finish",
        reason: finish ?? "stop",
        ...(native !== undefined && { native }),
        choice,
      }),
    ),
    ...(usage ? [{ type: "usage" as const, usage }] : []),
  ];
}

const contentEvents = (choice: CollectedChoice, message: Json, index: number): readonly StreamEvent[] => [
  ...saidEvents(choice, message, index),
  ...texts("refusal", message["refusal"], index),
  ...list(message["tool_calls"]).flatMap((call, number) => toolEvent(choice, call, number, index)),
];

/**
 * Text and thoughts. What rests on a text or repeats it (its citations, log probabilities, grounding) goes with the text
 * that was changed; what the model made beside it stays.
 */
function saidEvents(choice: CollectedChoice, message: Json, index: number): readonly StreamEvent[] {
  const { reasoning_content: thoughts } = messageFrom(choice);
  if (message["content"] === choice.text && message["reasoning_content"] === thoughts) return orderedEvents(choice, index);
  const media = (choice.marks ?? []).flatMap((mark) => (mark.type === "media" ? [{ type: mark.type, url: mark.url, choice: index }] : []));
  return [...reasoningEvents(choice, message, index), ...texts("text", message["content"], index), ...media];
}

const texts = (type: "text" | "refusal", text: unknown, choice: number): readonly StreamEvent[] =>
  typeof text === "string" && text !== "" ? [{ type, text, choice }] : [];

function reasoningEvents({ reasoning }: CollectedChoice, message: Json, choice: number): readonly StreamEvent[] {
  const said = message["reasoning_content"];
  if (typeof said !== "string" || said === thoughtsOf(reasoning))
    return reasoning.map((thought) => ({ type: "reasoning", ...thought, choice }));
  return [{ type: "reasoning", text: said, choice }]; // a changed thought cannot carry the old one's signature
}

function toolEvent({ tools }: CollectedChoice, call: unknown, index: number, choice: number): readonly StreamEvent[] {
  const made = isJson(call) && isJson(call["function"]) ? call["function"] : undefined;
  if (made === undefined) return [];
  const { id = "", signature } = tools[index] ?? {};
  return [
    {
      type: "tool",
      index,
      id,
      name: String(made["name"]),
      arguments: String(made["arguments"]),
      ...(signature !== undefined && { signature }),
      choice,
    },
  ];
}

/** A streamed answer in the form of a whole one. */
export const judged: JudgedAnswer = {
  body: answerBody,
  path: (choice, kind) => `choices[${choice}].message.${MEMBER[kind]}`,
  events: answerEvents,
};
const MEMBER = { text: "content", refusal: "refusal", reasoning: "reasoning_content" } as const;
