import { type AdapterInput, isJson, type Json } from "#contract";
import { type Spoken, spokenIn } from "./content-parts.ts";

/* Answers as the official clients read them: each tool call has `id`, `type` and `index`, and content is a text. */

/** A choice of a whole answer, with a message that is complete. */
export function completedMessage(choice: Json, answer: Json, { strict }: AdapterInput): Json {
  const { message } = choice;
  if (!isJson(message)) return choice;
  const calls = completedCalls(message["tool_calls"], answer);
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

const isText = (value: unknown): value is string => typeof value === "string" && value !== "";
/** Of a call that its provider left nameless: one that the answer's events have as well. */
const idOf = (index: number, answer: Json): string => `call_${isText(answer["id"]) ? answer["id"] : ""}_${index}`;

function completedCalls(calls: unknown, answer: Json): unknown {
  if (!Array.isArray(calls)) return calls;
  const complete = calls.map((call: unknown, index) => (isJson(call) ? completedCall(call, index, answer) : call));
  return complete.every((call, index) => call === calls[index]) ? calls : complete;
}
const completedCall = (call: Json, index: number, answer: Json): Json =>
  isText(call["id"]) && isText(call["type"])
    ? call
    : { ...call, id: isText(call["id"]) ? call["id"] : idOf(index, answer), type: call["type"] ?? "function" };

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
export function completedChunk(choice: Json, chunk: Json, { strict }: AdapterInput, memory: Json): Json {
  const { delta } = choice;
  if (!isJson(delta)) return choice;
  const of = memoryOf(choice["index"], memory);
  const calls = numbered(delta["tool_calls"], of, chunk);
  const content = contentDelta(delta["content"], of, strict);
  if (calls === delta["tool_calls"] && content === null) return choice;
  return { ...choice, delta: { ...delta, ...(calls !== undefined && { tool_calls: calls }), ...content } };
}

function memoryOf(index: unknown, memory: Json): ChoiceMemory {
  const name = `choice ${String(index ?? 0)}`;
  return (memory[name] ??= { calls: [], block: null } satisfies ChoiceMemory) as ChoiceMemory; // only this line writes there
}

/** Each piece with the index of its call, in the order of appearance; the first piece of a call with its id and type. */
function numbered(pieces: unknown, of: ChoiceMemory, chunk: Json): unknown {
  if (!Array.isArray(pieces)) return pieces;
  const complete = pieces.map((piece: unknown) => (isJson(piece) ? withIndex(piece, of, chunk) : piece));
  return complete.every((piece, index) => piece === pieces[index]) ? pieces : complete;
}

function withIndex(piece: Json, { calls }: ChoiceMemory, chunk: Json): Json {
  const key = typeof piece["index"] === "number" ? piece["index"] : undefined;
  const id = isText(piece["id"]) ? piece["id"] : undefined;
  const named = id === undefined ? -1 : calls.findLastIndex((call) => call.id === id && (key === undefined || call.key === key));
  const begun = named >= 0 ? named : calls.findLastIndex((call) => (key === undefined ? id === undefined : call.key === key));
  const before = calls[begun];
  if (before !== undefined && !isOther(piece, id, before.id)) return key === begun ? piece : { ...piece, index: begun };
  if (calls.length === MAX_CALLS) return piece;
  return firstPiece(piece, calls.push({ key, id }) - 1, chunk);
}
/** Each piece is looked for among them; an answer with more is refused where its events are read. */
const MAX_CALLS = 512;

/** The same index with another id and a name is another call: some number every parallel call 0. */
const isOther = (piece: Json, id: unknown, before: unknown): boolean =>
  id !== undefined && before !== undefined && id !== before && isJson(piece["function"]) && isText(piece["function"]["name"]);

function firstPiece(piece: Json, index: number, chunk: Json): Json {
  const complete = completedCall(piece, index, chunk);
  return complete["index"] === index ? complete : { ...complete, index };
}

/** The text of a delta's content; once it has come in parts, with the blocks it belongs to when the client is not strict. */
function contentDelta(content: unknown, of: ChoiceMemory, strict: boolean): Json | null {
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
