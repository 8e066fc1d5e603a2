import type { Collected, CollectedChoice, Json, JudgedAnswer, StreamEvent } from "#contract";
import { argumentsOf, type JudgedChoice, judgedAs, stringOf, withItems } from "../content/judged.ts";
import { objects, text } from "../content/wire.ts";

const NOTHING: JudgedChoice = { text: "", refusal: "", thoughts: "", calls: [] };

/** The message before the thoughts, so that its place does not depend on whether there are any. */
function judgedBody(answer: Collected, [shown = NOTHING]: readonly JudgedChoice[]): Json {
  const { id, model, choices } = answer;
  const { refusal, thoughts, calls, citations = [] } = shown;
  const isSilent = shown.text === "" && (calls.length > 0 || refusal !== "");
  const content = [
    ...(isSilent ? [] : [{ type: "output_text", text: shown.text, ...(citations.length > 0 && { annotations: citations }) }]),
    ...(refusal === "" ? [] : [{ type: "refusal", refusal }]),
  ];
  return {
    ...(id !== undefined && { id }),
    object: "response",
    ...(model !== undefined && { model }),
    output: [
      { type: "message", role: "assistant", content },
      { type: "reasoning", summary: thoughts === "" ? [] : [{ type: "summary_text", text: thoughts }] },
      ...calls.map(({ id: call_id, name, arguments: args }) => ({ type: "function_call", call_id, name, arguments: args })),
      ...besides(choices[0]),
    ],
  };
}

/** What a provider's own tools did, and images. */
const besides = (choice: CollectedChoice | undefined): readonly Json[] =>
  (choice?.marks ?? []).flatMap((mark) => (mark.type === "block" ? [mark.block] : mark.type === "media" ? [imageItem(mark.url)] : []));
const IMAGE = "input_image";
const imageItem = (url: string): Json => ({ type: "message", role: "assistant", content: [{ type: IMAGE, image_url: url }] });
const imageIn = ({ type, content }: Json): string | undefined =>
  type === "message" ? text(objects(content).find((part) => part.type === IMAGE)?.image_url) : undefined;

/** Everything else is what `besides` gave. */
const SAID: ReadonlySet<unknown> = new Set(["message", "reasoning", "function_call"]);
const besidesIn = ({ output }: Json): readonly Json[] =>
  objects(output).filter((item) => !SAID.has(item.type) || imageIn(item) !== undefined);

function choiceIn({ output }: Json): JudgedChoice {
  const items = objects(output);
  const parts = items.filter(({ type }) => type === "message").flatMap(({ content }) => objects(content));
  const summaries = items.filter(({ type }) => type === "reasoning").flatMap(({ summary }) => objects(summary));
  const calls = items.filter(({ type }) => type === "function_call");
  return {
    text: parts.map((part) => (part.type === "output_text" ? stringOf(part.text) : "")).join(""),
    refusal: parts.map(({ refusal }) => stringOf(refusal)).join(""),
    citations: parts.flatMap(({ annotations }) => objects(annotations)),
    thoughts: summaries.map((part) => stringOf(part.text)).join(""),
    calls: calls.map(({ call_id, name, arguments: args }) => ({
      id: stringOf(call_id),
      name: String(name),
      arguments: argumentsOf(args),
    })),
  };
}

const judgedText = judgedAs({
  body: judgedBody,
  choices: (body) => new Map([[0, choiceIn(body)]]),
  path: (_choice, kind) => PATHS[kind],
});
const PATHS = {
  text: "output[0].content[0].text",
  refusal: "output[0].content[0].refusal",
  reasoning: "output[1].summary[0].text",
} as const;

function eventOf(item: Json): StreamEvent {
  const url = imageIn(item);
  return url === undefined ? { type: "block", block: item } : { type: "media", url };
}

/** A streamed answer in the form of a whole one. */
export const judged: JudgedAnswer = withItems(judgedText, { of: besides, shown: besidesIn, types: ["block", "media"], eventOf });
