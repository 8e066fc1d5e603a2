import type { CollectedChoice, Json, Mark } from "#contract";
import { mediaPart } from "./media.ts";

/** `content_blocks` of a whole answer, in the order in which the model gave them; calls stand in `tool_calls`. */
export function orderedBlocks(choice: CollectedChoice): Json[] {
  const blocks: Json[] = [];
  let from = 0;
  let citations: Json[] = [];
  const endText = (to: number): void => {
    if (to > from) blocks.push({ type: "text", text: choice.text.slice(from, to), ...(citations.length > 0 && { citations }) });
    from = to;
    citations = [];
  };
  for (const mark of choice.marks ?? choice.reasoning.map(thoughtFirst)) {
    if (mark.type === "citation") citations.push(mark.citation);
    else endText(mark.at);
    blocks.push(...blockOf(mark, choice));
  }
  endText(choice.text.length);
  return blocks;
}
const thoughtFirst = (_thought: unknown, index: number): Mark => ({ type: "reasoning", index, at: 0 });

function blockOf(mark: Mark, { reasoning }: CollectedChoice): Json[] {
  if (mark.type === "media") return [mediaPart(mark.url)];
  if (mark.type === "block") return [mark.block];
  return mark.type === "reasoning" ? reasoning.slice(mark.index, mark.index + 1).map(thinkingBlock) : [];
}
function thinkingBlock(block: CollectedChoice["reasoning"][number]): Json {
  if (block.redacted !== undefined) return { type: "redacted_thinking", data: block.redacted };
  return { type: "thinking", thinking: block.text, ...(block.signature !== undefined && { signature: block.signature }) };
}
