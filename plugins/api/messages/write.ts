import { type Collected, type CollectedChoice, type EncodeOptions, InnerJson, isJson, type Json } from "#contract";
import { orderedEvents } from "../content/ordered-events.ts";
import { ownBlock, ownCitation } from "./foreign.ts";
import { mediaBlock } from "./media.ts";
import { stopReasonOf } from "./stops.ts";
import { usageBody } from "./usage.ts";

type Thought = CollectedChoice["reasoning"][number];
type Call = CollectedChoice["tools"][number];

const NOTHING: CollectedChoice = { text: "", reasoning: [], tools: [] };

/** A folded answer -> a whole message. */
export function write(answer: Collected, options: EncodeOptions): Json {
  const choice = answer.choices[0] ?? NOTHING;
  return {
    id: answer.id ?? options.id,
    type: "message",
    role: "assistant",
    model: answer.model ?? options.model,
    content: contentOf(choice, options.strict),
    stop_reason: stopReasonOf({ ...choice, calls: choice.tools.length > 0, refused: choice.refusal !== undefined }),
    stop_sequence: choice.stopSequence ?? null,
    stop_details: null,
    usage: usageBody(answer.usage),
  };
}

const contentOf = (choice: CollectedChoice, strict: boolean, inner = new InnerJson()): readonly Json[] => [
  ...contentBlocks(choice),
  ...(choice.refusal ? [{ type: "text", text: choice.refusal }] : []),
  ...choice.tools.map((call) => ({ ...toolBlock(call, strict), input: inputOf(call.arguments, inner) })),
];

/** Thoughts, texts with what they rest on, and blocks of the vendor's own, in the order of the answer. */
function contentBlocks(choice: CollectedChoice): readonly Json[] {
  const blocks: Json[] = [];
  const textBlock = (begins = false): Json => {
    const last = blocks.at(-1);
    if (last?.type === "text" && !begins) return last;
    const fresh = { type: "text", text: "" };
    blocks.push(fresh);
    return fresh;
  };
  for (const event of orderedEvents(choice, 0)) {
    if (event.type === "reasoning") blocks.push(thinkingBlock(event));
    if (event.type === "block") addBlock(blocks, ownBlock(event.block));
    if (event.type === "media") blocks.push(mediaBlock(event.url));
    if (event.type === "text") addText(textBlock(event.begins), event.text);
    if (event.type === "citation") addCitation(textBlock(), ownCitation(event.citation));
  }
  return blocks.filter((block) => block.type !== "text" || block.text !== "");
}
const addBlock = (blocks: Json[], block: Json | undefined): void => void (block && blocks.push(block));
const addText = (block: Json, text: string): void => void (block.text = `${String(block.text)}${text}`);
/** It comes before the text that rests on it. */
function addCitation(block: Json, citation: Json | undefined): void {
  if (citation === undefined) return;
  if (Array.isArray(block.citations)) block.citations.push(citation);
  else block.citations = [citation];
}

/** A thought without a signature has an empty one: clients read the member always. */
export const thinkingBlock = ({ text, signature = "", redacted }: Thought): Json =>
  redacted === undefined ? { type: "thinking", thinking: text, signature } : { type: "redacted_thinking", data: redacted };

/** What Anthropic's form has no place for stands there only when the client does not insist on it. */
export const toolBlock = ({ id, name, signature }: Pick<Call, "id" | "name" | "signature">, strict: boolean): Json => ({
  type: "tool_use",
  id,
  name,
  ...(!strict && signature !== undefined && { thought_signature: signature }),
  input: {},
});

/** The input is an object on this wire. Broken JSON, or too much of it, stands in the member that Anthropic's documentation names for it. */
function inputOf(text: string, inner: InnerJson): Json {
  if (text.trim() === "") return {};
  try {
    const input = inner.parse(text);
    return isJson(input) ? input : { INVALID_JSON: text };
  } catch {
    return { INVALID_JSON: text };
  }
}
