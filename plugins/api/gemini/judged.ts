import type { Collected, CollectedChoice, Json, JudgedAnswer, StreamEvent } from "#contract";
import { orderedEvents } from "../content/ordered-events.ts";
import { object, objects } from "./wire.ts";

const thoughtsOf = ({ reasoning }: CollectedChoice): string => reasoning.map(({ text }) => text).join("");

/** Text before thoughts, so that its place does not depend on whether there are any. */
function partsOf(choice: CollectedChoice): readonly Json[] {
  const { text, refusal, tools } = choice;
  const thoughts = thoughtsOf(choice);
  const isSilent = text === "" && thoughts === "" && (tools.length > 0 || refusal !== undefined);
  return [
    ...(isSilent ? [] : [{ text }]),
    ...(refusal === undefined ? [] : [{ text: refusal, refused: true }]),
    ...(thoughts === "" ? [] : [{ text: thoughts, thought: true }]),
    ...tools.map(({ id, name, arguments: args }) => ({ functionCall: { id, name, args } })),
  ];
}
const judgedBody = ({ id, model, choices }: Collected): Json => ({
  candidates: choices.map((choice, index) => ({ content: { parts: partsOf(choice), role: "model" }, index })),
  ...(model !== undefined && { modelVersion: model }),
  ...(id !== undefined && { responseId: id }),
});

function judgedEvents(answer: Collected, body: Json): readonly StreamEvent[] {
  const { id, model, created, usage } = answer;
  const candidates = objects(body.candidates);
  return [
    { type: "start", ...(id !== undefined && { id }), ...(model !== undefined && { model }), ...(created !== undefined && { created }) },
    ...answer.choices.flatMap((choice, index) => choiceEvents(choice, objects(object(candidates[index]?.content).parts), index)),
    ...(usage ? [{ type: "usage" as const, usage }] : []),
  ];
}

function choiceEvents(choice: CollectedChoice, parts: readonly Json[], index: number): readonly StreamEvent[] {
  const { finish = "stop", native } = choice;
  return [
    ...saidEvents(choice, parts, index),
    ...callEvents(choice, parts, index),
    { type: "finish", reason: finish, ...(native !== undefined && { native }), choice: index },
  ];
}

/** What rests on a text (what was searched for it) goes with the text that was changed. */
function saidEvents(choice: CollectedChoice, parts: readonly Json[], index: number): readonly StreamEvent[] {
  const said = parts.filter(({ functionCall }) => functionCall === undefined);
  const text = textOf(said.find(({ refused, thought }) => refused !== true && thought !== true));
  const thoughts = textOf(said.find(({ thought }) => thought === true));
  const isSame = text === choice.text && thoughts === thoughtsOf(choice);
  const refusals: readonly StreamEvent[] = said
    .filter(({ refused }) => refused === true)
    .map((part) => ({ type: "refusal", text: textOf(part), choice: index }));
  if (isSame) return [...orderedEvents(choice, index), ...refusals];
  const kept = thoughts === thoughtsOf(choice) ? choice.reasoning : [{ text: thoughts }]; // a changed thought has no signature
  return [
    ...kept.map((thought): StreamEvent => ({ type: "reasoning", ...thought, choice: index })),
    ...(text === "" ? [] : [{ type: "text", text, choice: index } as const]),
    ...refusals,
  ];
}
const textOf = (part: Json | undefined): string => (typeof part?.text === "string" ? part.text : "");

const callEvents = ({ tools }: CollectedChoice, parts: readonly Json[], choice: number): readonly StreamEvent[] =>
  parts
    .filter(({ functionCall }) => functionCall !== undefined)
    .map(({ functionCall }, index): StreamEvent => {
      const { name, args } = object(functionCall);
      const { id = "", signature } = tools[index] ?? {};
      const text = typeof args === "string" ? args : JSON.stringify(object(args));
      return { type: "tool", index, id, name: String(name), arguments: text, ...(signature !== undefined && { signature }), choice };
    });

/** A streamed answer in the form of a whole one. */
export const judged: JudgedAnswer = {
  body: judgedBody,
  path: (choice, kind) => `candidates[${choice}].content.parts[${PARTS[kind]}].text`,
  events: judgedEvents,
};
/** Without a text the refusal is the first. */
const PARTS = { text: 0, refusal: 0, reasoning: 1 } as const;
