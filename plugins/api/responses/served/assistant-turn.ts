import { type Json, type ServedTo, unpackThought } from "#contract";
import { objects, text } from "../../content/wire.ts";
import { CUSTOM_INPUT } from "../output/call-item.ts";
import { partsOf, textOf } from "./parts.ts";

type Items = readonly Json[];

/** The items of an answer as what the assistant said; none where they hold what another provider's tools did alone. */
export function assistantTurn(items: Items, to: ServedTo): readonly Json[] {
  const texts = items.filter(isMessage).map(({ content }) => textOf(partsOf(content), ""));
  const signatures = to.mapped ? signaturesOf(items) : NO_SIGNATURES;
  const calls = items.filter(isCall).map((call) => toolCall(call, signatures.get(call.call_id)));
  const content = texts.filter((piece) => piece !== "").join("\n");
  if (content === "" && calls.length === 0) return [];
  return [
    {
      role: "assistant",
      content: content === "" && calls.length > 0 ? null : content,
      ...thoughts(items),
      ...(to.mapped && signedBlocks(items)),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}
const isMessage = ({ type = "message" }: Json): boolean => type === "message";
const isCall = ({ type }: Json): boolean => type === "function_call" || type === "custom_tool_call";
const isReasoning = ({ type }: Json): boolean => type === "reasoning";

function toolCall({ type, call_id: id, name, input, arguments: args }: Json, signature: string | undefined): Json {
  const text = type === "custom_tool_call" ? JSON.stringify({ [CUSTOM_INPUT]: input }) : args;
  return { id, type: "function", function: { name, arguments: text, ...(signature && { thought_signature: signature }) } };
}
/** Of calls, by their ids: each came in an item of its own, and the first that names a call counts. */
function signaturesOf(items: Items): ReadonlyMap<unknown, string> {
  const found = new Map<unknown, string>();
  for (const { encrypted_content } of items) {
    const { call, signature } = unpackThought(encrypted_content);
    if (call !== undefined && signature !== undefined && !found.has(call)) found.set(call, signature);
  }
  return found;
}
const NO_SIGNATURES: ReadonlyMap<unknown, string> = new Map();

const summaryOf = ({ summary, content }: Json): string =>
  [...objects(summary), ...objects(content)].flatMap((part) => text(part.text) ?? []).join("\n\n");
/** Some vendors want their thoughts back while a tool is used. */
function thoughts(items: Items): Json {
  const thought = items.filter(isReasoning).map(summaryOf).join("");
  return thought === "" ? {} : { reasoning_content: thought };
}

/** Thoughts with their signatures and texts, in order. A thought without a signature is of another vendor's model. */
function signedBlocks(items: Items): Json {
  const blocks = items.flatMap((item) => (isReasoning(item) ? thinkingBlock(item) : isMessage(item) ? textBlock(item) : []));
  return blocks.some(({ type }) => type !== "text") ? { content_blocks: blocks } : {};
}
function thinkingBlock(item: Json): Items {
  const { signature, redacted, call } = unpackThought(item.encrypted_content);
  if (redacted !== undefined) return [{ type: "redacted_thinking", data: redacted }];
  return signature === undefined || call !== undefined ? [] : [{ type: "thinking", thinking: summaryOf(item), signature }];
}
function textBlock({ content }: Json): Items {
  const text = textOf(partsOf(content), "");
  return text === "" ? [] : [{ type: "text", text }];
}
