import type { Collected, CollectedChoice, Json, JudgedAnswer, StreamEvent } from "#contract";
import { orderedEvents } from "../content/ordered-events.ts";
import { objects, text } from "../content/wire.ts";

const NOTHING: CollectedChoice = { text: "", reasoning: [], tools: [] };
const answerOf = ({ choices }: Collected): CollectedChoice => choices[0] ?? NOTHING;
const thoughtsOf = ({ reasoning }: CollectedChoice): string => reasoning.map(({ text }) => text).join("");
const blocksOf = ({ marks = [] }: CollectedChoice): readonly Json[] =>
  marks.flatMap((mark) => (mark.type === "block" ? [mark.block] : mark.type === "media" ? [{ type: IMAGE, image_url: mark.url }] : []));
const IMAGE = "input_image";

/** The message before the thoughts, so that its place does not depend on whether there are any. */
function judgedBody(answer: Collected): Json {
  const { id, model } = answer;
  const choice = answerOf(answer);
  const { refusal, tools } = choice;
  const thoughts = thoughtsOf(choice);
  return {
    ...(id !== undefined && { id }),
    object: "response",
    ...(model !== undefined && { model }),
    output: [
      {
        type: "message",
        role: "assistant",
        content: [
          ...(choice.text === "" && (tools.length > 0 || refusal !== undefined) ? [] : [{ type: "output_text", text: choice.text }]),
          ...(refusal === undefined ? [] : [{ type: "refusal", refusal }]),
        ],
      },
      { type: "reasoning", summary: thoughts === "" ? [] : [{ type: "summary_text", text: thoughts }] },
      ...tools.map(({ id: call_id, name, arguments: args }) => ({ type: "function_call", call_id, name, arguments: args })),
      ...blocksOf(choice).map((block) => (block.type === IMAGE ? { type: "message", role: "assistant", content: [block] } : block)),
    ],
  };
}

function judgedEvents(answer: Collected, body: Json): readonly StreamEvent[] {
  const { id, model, created, usage } = answer;
  const choice = answerOf(answer);
  const output = objects(body.output);
  return [
    { type: "start", ...(id !== undefined && { id }), ...(model !== undefined && { model }), ...(created !== undefined && { created }) },
    ...saidEvents(choice, output),
    ...callEvents(choice, output),
    { type: "finish", reason: choice.finish ?? "stop", ...(choice.native !== undefined && { native: choice.native }) },
    ...(usage ? [{ type: "usage" as const, usage }] : []),
  ];
}

/** What rests on a text (its citations, what was searched for it) goes with the text that was changed. */
function saidEvents(choice: CollectedChoice, output: readonly Json[]): readonly StreamEvent[] {
  const parts = objects(output[0]?.content);
  const said = parts.find(({ type }) => type === "output_text")?.text ?? "";
  const thoughts = text(objects(output[1]?.summary)[0]?.text) ?? "";
  const refusals = parts.flatMap(({ refusal }) => (typeof refusal === "string" ? [{ type: "refusal", text: refusal } as const] : []));
  const isSame = said === choice.text && thoughts === thoughtsOf(choice);
  if (isSame && !blocksChanged(choice, output)) return [...orderedEvents(choice, 0), ...refusals];
  const changed = typeof said === "string" && said !== "" ? [{ type: "text", text: said } as const] : [];
  return [...reasoningEvents(choice, thoughts), ...changed, ...blockEvents(choice, output), ...refusals];
}
/** What a provider's own tools did, and images, behind the calls of the client's. */
const blocksIn = ({ tools }: CollectedChoice, output: readonly Json[]): readonly Json[] => output.slice(2 + tools.length);
const imageIn = (item: Json): string | undefined => text(objects(item.content)[0]?.image_url);
const blocksChanged = (choice: CollectedChoice, output: readonly Json[]): boolean => {
  const before = blocksOf(choice);
  return blocksIn(choice, output).some((item, at) => item !== before[at] && imageIn(item) !== before[at]?.image_url);
};
const blockEvents = (choice: CollectedChoice, output: readonly Json[]): readonly StreamEvent[] =>
  blocksIn(choice, output).map((item): StreamEvent => {
    const url = item.type === "message" ? imageIn(item) : undefined;
    return url === undefined ? { type: "block", block: item } : { type: "media", url };
  });

/** A changed thought cannot carry the old one's signature. */
const reasoningEvents = (choice: CollectedChoice, thoughts: string): readonly StreamEvent[] =>
  thoughts === thoughtsOf(choice)
    ? choice.reasoning.map((thought) => ({ type: "reasoning", ...thought }))
    : [{ type: "reasoning", text: thoughts }];

const callEvents = ({ tools }: CollectedChoice, output: readonly Json[]): readonly StreamEvent[] =>
  output.slice(2, 2 + tools.length).map(({ name, arguments: args }, index): StreamEvent => {
    const { id = "", signature } = tools[index] ?? {};
    return { type: "tool", index, id, name: String(name), arguments: String(args), ...(signature !== undefined && { signature }) };
  });

/** A streamed answer in the form of a whole one. */
export const judged: JudgedAnswer = {
  body: judgedBody,
  path: (_choice, kind) => PATHS[kind],
  events: judgedEvents,
};
const PATHS = {
  text: "output[0].content[0].text",
  refusal: "output[0].content[0].refusal",
  reasoning: "output[1].summary[0].text",
} as const;
