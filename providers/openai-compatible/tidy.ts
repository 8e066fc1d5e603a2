import { type AdapterInput, isJson, type Json } from "#contract";
import { type Spoken, spokenIn } from "./content-parts.ts";

/* Answers as the official clients read them: each tool call has `type` and `index`, and content is a text. */

/** A choice of a whole answer, with a message that is complete. */
export function completedMessage(choice: Json, { strict }: AdapterInput): Json {
  const { message } = choice;
  if (!isJson(message)) return choice;
  const calls = withType(message["tool_calls"]);
  const spoken = spokenIn(message["content"]);
  if (calls === message["tool_calls"] && spoken === null && message["content"] !== undefined) return choice;
  return {
    ...choice,
    message: {
      ...message,
      content: message["content"] ?? null,
      ...(calls !== undefined && { tool_calls: calls }),
      ...(spoken && { content: spoken.text, ...(!strict && thoughts(spoken, spoken.blocks)) }),
    },
  };
}

const isIncomplete = (call: unknown): call is Json => isJson(call) && typeof call["type"] !== "string";
const withType = (calls: unknown): unknown =>
  Array.isArray(calls) && calls.some(isIncomplete)
    ? calls.map((call: unknown) => (isIncomplete(call) ? { ...call, type: "function" } : call))
    : calls;

const thoughts = ({ reasoning }: Spoken, blocks: readonly Json[]): Json => ({
  ...(reasoning !== "" && { reasoning_content: reasoning }),
  ...(blocks.length > 0 && { content_blocks: blocks }),
});

/** What is remembered of one choice of a stream. */
interface ChoiceMemory {
  readonly calls: { readonly key: unknown; readonly id: unknown }[];
  /** The block that content was last added to; none until content comes in parts. */
  block: { readonly index: number; readonly type: unknown } | null;
}

/** A choice of a streamed chunk, with a delta that is complete. */
export function completedChunk(choice: Json, { strict }: AdapterInput, memory: Json): Json {
  const { delta } = choice;
  if (!isJson(delta)) return choice;
  const of = memoryOf(choice["index"], memory);
  const calls = numbered(delta["tool_calls"], of);
  const content = said(delta["content"], of, strict);
  if (calls === delta["tool_calls"] && content === null) return choice;
  return { ...choice, delta: { ...delta, ...(calls !== undefined && { tool_calls: calls }), ...content } };
}

function memoryOf(index: unknown, memory: Json): ChoiceMemory {
  const name = `choice ${String(index ?? 0)}`;
  return (memory[name] ??= { calls: [], block: null } satisfies ChoiceMemory) as ChoiceMemory; // only this line writes there
}

/** Each piece with the index of its call, in the order of appearance; the first piece of a call with its type. */
function numbered(pieces: unknown, of: ChoiceMemory): unknown {
  if (!Array.isArray(pieces)) return pieces;
  const complete = pieces.map((piece: unknown) => (isJson(piece) ? withIndex(piece, of) : piece));
  return complete.every((piece, index) => piece === pieces[index]) ? pieces : complete;
}

function withIndex(piece: Json, { calls }: ChoiceMemory): Json {
  const key = typeof piece["index"] === "number" ? piece["index"] : undefined;
  const id = typeof piece["id"] === "string" && piece["id"] !== "" ? piece["id"] : undefined;
  const begun = calls.findLastIndex((call) => (key === undefined ? id === undefined || call.id === id : call.key === key));
  // The same index with another id is another call: some number every parallel call 0.
  const isNew = begun < 0 || (id !== undefined && calls[begun]?.id !== id);
  if (isNew) calls.push({ key, id });
  const index = isNew ? calls.length - 1 : begun;
  const hasType = !isNew || typeof piece["type"] === "string";
  return key === index && hasType ? piece : { ...piece, index, ...(!hasType && { type: "function" }) };
}

/** The text of a delta's content; once it has come in parts, with the blocks it belongs to when the client is not strict. */
function said(content: unknown, of: ChoiceMemory, strict: boolean): Json | null {
  const spoken = spokenIn(of.block !== null && typeof content === "string" && content !== "" ? [{ type: "text", text: content }] : content);
  if (spoken === null) return null;
  const blocks = spoken.blocks.map((block) => blockDelta(block, of));
  return { content: spoken.text, ...(!strict && thoughts(spoken, blocks)) };
}

function blockDelta({ type, ...delta }: Json, of: ChoiceMemory): Json {
  const goesOn = of.block?.type === type && (type === "text" || type === "thinking");
  const index = goesOn ? (of.block?.index ?? 0) : (of.block?.index ?? -1) + 1;
  of.block = { index, type };
  return { index, delta: type === "text" || type === "thinking" ? delta : { type, ...delta } };
}
