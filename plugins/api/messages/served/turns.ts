import { type Json, type ServedTo, signedBy } from "#contract";
import { object, objects, text } from "../../content/wire.ts";
import { cacheOf, isMarked, media, partsOf, plain, textOf } from "./blocks.ts";

type Turns = readonly Json[];

/** The system text stands before the conversation; in one piece, unless a place in it is to be cached. */
export function systemTurn(system: unknown, to: ServedTo): Turns {
  const parts = partsOf(system ?? "", to);
  if (parts.length === 0) return [];
  return [{ role: "system", content: parts.some(isMarked) ? parts : textOf(parts) }];
}

/** One message of the messages form -> the chat messages that say the same. */
export function turnsOf(message: Json, to: ServedTo): Turns {
  if (message.role === "assistant") return [assistantTurn(message.content, to)];
  if (message.role === "system") return [{ role: "system", content: plain(partsOf(message.content, to)) }];
  return typeof message.content === "string" ? [{ role: "user", content: message.content }] : userTurns(objects(message.content), to);
}

/** Results of tools must follow their calls at once; what was said beside them comes behind. */
function userTurns(blocks: Turns, to: ServedTo): Turns {
  const results = blocks.filter(isResult);
  const beside = to.mapped ? [] : results.flatMap((result) => seenBeside(result, to));
  const parts = [
    ...beside,
    ...partsOf(
      blocks.filter((block) => !isResult(block)),
      to,
    ),
  ];
  const turns = results.map(to.mapped ? (result) => wholeResult(result, to) : (result) => textResult(result, to));
  return parts.length === 0 && turns.length > 0 ? turns : [...turns, { role: "user", content: plain(parts) }];
}
const isResult = ({ type }: Json): boolean => type === "tool_result";

/** With its images, and marked as a failure, for wires that have a place for both. */
const wholeResult = ({ tool_use_id, content, is_error, ...rest }: Json, to: ServedTo): Json => ({
  role: "tool",
  tool_call_id: tool_use_id,
  content: plain(partsOf(content ?? "", to)),
  ...(is_error === true && { is_error }),
  ...cacheOf(rest, to),
});
/** OpenAI's form has a text alone; images and files of a result stand in the user's message behind it. */
function textResult({ tool_use_id, content, is_error }: Json, to: ServedTo): Json {
  const parts = partsOf(content ?? "", to);
  const text = textOf(parts);
  const result = text === "" && media(parts).length > 0 ? "The result stands below." : text;
  return { role: "tool", tool_call_id: tool_use_id, content: is_error === true ? `Error: ${result}` : result };
}
function seenBeside({ tool_use_id, content }: Json, to: ServedTo): Turns {
  const seen = media(partsOf(content ?? "", to));
  return seen.length === 0 ? [] : [{ type: "text", text: `The result of the tool call ${String(tool_use_id)}:` }, ...seen];
}

/** What a provider's own tools did is history; what was said of it stands in the text. */
function assistantTurn(content: unknown, to: ServedTo): Json {
  if (typeof content === "string") return { role: "assistant", content };
  const blocks = objects(content);
  const text = textOf(partsOf(blocks.filter(isText), to), "");
  const calls = blocks.filter(({ type }) => type === "tool_use").map((block) => toolCall(block, to));
  return {
    role: "assistant",
    content: text === "" && calls.length > 0 ? null : text,
    ...thoughts(blocks),
    ...(to.mapped && ownBlocks(blocks)),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
}
const isText = ({ type }: Json): boolean => type === "text";

function toolCall({ id, name, input, thought_signature: signature, ...rest }: Json, to: ServedTo): Json {
  const signed = to.mapped && text(signature) !== undefined ? { thought_signature: signature } : {};
  return { id, type: "function", function: { name, arguments: JSON.stringify(object(input)), ...signed }, ...cacheOf(rest, to) };
}

/** Some vendors want their thoughts back while a tool is used. */
function thoughts(blocks: Turns): Json {
  const thought = blocks.map(({ type, thinking }) => (type === "thinking" ? (text(thinking) ?? "") : "")).join("");
  return thought === "" ? {} : { reasoning_content: thought };
}
/** Thoughts with their signatures, and texts with their marks, in order. A thought without a signature is of another vendor's model. */
function ownBlocks(blocks: Turns): Json {
  const isSigned = ({ type, signature }: Json): boolean =>
    type === "redacted_thinking" || (type === "thinking" && text(signature) !== undefined);
  if (!blocks.some((block) => isSigned(block) || (isText(block) && isMarked(block)))) return {};
  const kept = blocks.filter((block) => isSigned(block) || (isText(block) && text(block.text) !== undefined));
  return { content_blocks: kept.map(({ citations: _citations, ...block }) => withMark(block)) };
}
/** What has no mark of a vendor's came from the one whose own form this is. */
function withMark(block: Json): Json {
  const signature = text(block.signature);
  return signature === undefined ? block : { ...block, signature: signedBy("messages", signature) };
}
