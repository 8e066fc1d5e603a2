import { type Json, type ServedTo, signatureFor, signedBy } from "#contract";
import { entry, object, objects, text } from "../../content/wire.ts";
import { inputParts } from "./parts.ts";

type Items = readonly Json[];

/** One message of the messages form -> the items that say the same. */
export function itemsOf({ role, content }: Json, to: ServedTo): Items {
  if (typeof content === "string") return [{ type: "message", role, content }];
  const blocks = objects(content);
  return role === "assistant" ? assistantItems(blocks, to) : userItems(role, blocks);
}

/** Results of tools must follow their calls at once; what was said beside them comes behind. */
function userItems(role: unknown, blocks: Items): Items {
  const results = blocks.filter(isResult).map(resultItem);
  const parts = inputParts(blocks.filter((block) => !isResult(block)));
  if (parts.length === 0 && results.length > 0) return results;
  return [...results, { type: "message", role, content: parts.length === 0 ? "" : parts }];
}
const isResult = ({ type }: Json): boolean => type === "tool_result";

function resultItem({ tool_use_id: call_id, content, is_error }: Json): Json {
  const parts = inputParts(content ?? "");
  const failed = is_error === true ? "Error: " : "";
  const isPlain = parts.every(({ type }) => type === "input_text");
  const output = isPlain ? failed + parts.map((part) => String(part.text)).join("\n") : [...inputParts(failed), ...parts];
  return { type: "function_call_output", call_id, output };
}

/** What an assistant thought, said and called, in its order; texts behind each other are one message. What a provider's own tools did is history. */
function assistantItems(blocks: Items, to: ServedTo): Items {
  const items: Json[] = [];
  let message: Json[] | null = null;
  for (const block of blocks) {
    const item = entry(FROM_BLOCK, block.type)?.(block, to);
    if (item === undefined) continue;
    const isText = item.type === "output_text";
    if (isText && message === null) items.push({ type: "message", role: "assistant", content: (message = []) });
    if (isText) message?.push(item);
    else items.push(item);
    if (!isText) message = null;
  }
  return items;
}
type FromBlock = (block: Json, to: ServedTo) => Json | undefined;
const FROM_BLOCK: Readonly<Record<string, FromBlock>> = {
  text: (block) => (text(block.text) === undefined ? undefined : { type: "output_text", text: block.text }),
  thinking: thoughtItem,
  tool_use: ({ id, name, input }) => ({ type: "function_call", call_id: id, name, arguments: JSON.stringify(object(input)) }),
};

/** A thought that this wire's models signed; what has no mark of a vendor's came from the one whose own form this is. */
function thoughtItem({ thinking, signature }: Json, { thinks }: ServedTo): Json | undefined {
  const own = typeof signature === "string" ? signatureFor("responses", signedBy("messages", signature)) : undefined;
  if (own === undefined || thinks === false) return undefined;
  const summary = text(thinking) === undefined ? [] : [{ type: "summary_text", text: thinking }];
  return { type: "reasoning", summary, encrypted_content: own };
}
