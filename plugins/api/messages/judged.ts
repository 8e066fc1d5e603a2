import type { Collected, CollectedChoice, Json, JudgedAnswer, StreamEvent } from "#contract";
import { orderedEvents } from "../content/ordered-events.ts";
import { object, objects } from "./wire.ts";

const NOTHING: CollectedChoice = { text: "", reasoning: [], tools: [] };
const answerOf = ({ choices }: Collected): CollectedChoice => choices[0] ?? NOTHING;
const thoughtsOf = ({ reasoning }: CollectedChoice): string => reasoning.map(({ text }) => text).join("");

/** Text before thoughts, so that its place does not depend on whether there are any. */
function judgedBody(answer: Collected): Json {
  const { id, model } = answer;
  const choice = answerOf(answer);
  const { text, refusal, tools } = choice;
  const thoughts = thoughtsOf(choice);
  return {
    ...(id !== undefined && { id }),
    type: "message",
    role: "assistant",
    ...(model !== undefined && { model }),
    content: [
      ...(text === "" && (tools.length > 0 || refusal !== undefined) ? [] : [{ type: "text", text }]),
      ...(refusal === undefined ? [] : [{ type: "refusal", refusal }]),
      ...(thoughts === "" ? [] : [{ type: "thinking", thinking: thoughts }]),
      ...tools.map(({ id, name, arguments: args }) => ({ type: "tool_use", id, name, input: args })),
    ],
  };
}

function judgedEvents(answer: Collected, body: Json): readonly StreamEvent[] {
  const { id, model, created, usage } = answer;
  const choice = answerOf(answer);
  const content = objects(body.content);
  return [
    { type: "start", ...(id !== undefined && { id }), ...(model !== undefined && { model }), ...(created !== undefined && { created }) },
    ...saidEvents(choice, content),
    ...callEvents(choice, content),
    { type: "finish", reason: choice.finish ?? "stop", ...(choice.native !== undefined && { native: choice.native }) },
    ...(usage ? [{ type: "usage" as const, usage }] : []),
  ];
}

/** What rests on a text (its citations, what was searched for it) goes with the text that was changed. */
function saidEvents(choice: CollectedChoice, content: readonly Json[]): readonly StreamEvent[] {
  const texts = textEvents(content);
  const thoughts = reasoningEvents(choice, content);
  const isSame = textIn(texts) === choice.text && thoughts.length === choice.reasoning.length;
  const refusals = texts.filter(({ type }) => type === "refusal");
  return isSame ? [...orderedEvents(choice, 0), ...refusals] : [...thoughts, ...texts];
}
const textIn = (events: readonly StreamEvent[]): string => events.map((event) => (event.type === "text" ? event.text : "")).join("");

/** A changed thought cannot carry the old one's signature. */
function reasoningEvents(choice: CollectedChoice, content: readonly Json[]): readonly StreamEvent[] {
  const changed = content.find(({ type }) => type === "thinking")?.thinking;
  if (typeof changed === "string" && changed !== thoughtsOf(choice)) return [{ type: "reasoning", text: changed }];
  return choice.reasoning.map((thought) => ({ type: "reasoning", ...thought }));
}

const textEvents = (content: readonly Json[]): readonly StreamEvent[] =>
  content.flatMap(({ type, text, refusal }): readonly StreamEvent[] => {
    if (type === "text" && typeof text === "string" && text !== "") return [{ type, text }];
    return type === "refusal" && typeof refusal === "string" ? [{ type, text: refusal }] : [];
  });

const callEvents = ({ tools }: CollectedChoice, content: readonly Json[]): readonly StreamEvent[] =>
  content
    .filter(({ type }) => type === "tool_use")
    .map(({ name, input }, index): StreamEvent => {
      const { id = "", signature } = tools[index] ?? {};
      const args = typeof input === "string" ? input : JSON.stringify(object(input));
      return { type: "tool", index, id, name: String(name), arguments: args, ...(signature !== undefined && { signature }) };
    });

/** A streamed answer in the form of a whole one. */
export const judged: JudgedAnswer = {
  body: judgedBody,
  path: (_choice, kind) => PATHS[kind],
  events: judgedEvents,
};
const PATHS = { text: "content[0].text", refusal: "content[0].refusal", reasoning: "content[1].thinking" } as const;
