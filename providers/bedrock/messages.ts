import { type ChatTurn, InnerJson, isJson, type Json } from "#contract";
import { isSignedThought } from "../wires/anthropic/thinking.ts";
import { type Block, blocksOf, cachePointOf, inner as memberOf } from "./blocks.ts";
import { withNamedDocuments } from "./documents.ts";
import { refuseMuchText } from "./media.ts";

export interface Turn {
  readonly role: "user" | "assistant";
  readonly content: Block[];
}
/** How thoughts, calls and results are told to the model. */
export interface ToolTelling {
  /** As blocks of their own; without any tool offered these are refused, and stand as text. */
  readonly asBlocks: boolean;
  /** A call's id as the model's vendor takes it. */
  readonly id: (id: unknown) => string;
  /** Signed thoughts are taken back; every model but Claude refuses them. */
  readonly thoughts: boolean;
}
/** How they are told, and the reader of their arguments. */
interface Reading extends ToolTelling {
  readonly inner: InnerJson;
}
const SYSTEM = new Set(["system", "developer"]);

/** All system messages in order, wherever they stand: the wire has one place for them. */
export function systemOf(messages: readonly ChatTurn[]): Block[] | undefined {
  refuseMuchText(messages);
  const blocks = messages.filter(({ role }) => SYSTEM.has(role)).flatMap((turn) => contentOf({ ...turn }));
  return blocks.length > 0 ? blocks : undefined;
}

/** The conversation; neighbours of the same role become one message. */
export function turnsOf(messages: readonly ChatTurn[], telling: ToolTelling): Turn[] {
  refuseMuchText(messages);
  const turns: Turn[] = [];
  const reading = { ...telling, inner: new InnerJson() };
  for (const message of messages) {
    if (SYSTEM.has(message.role)) continue;
    const turn = turnOf({ ...message }, reading);
    const last = turns.at(-1);
    if (last?.role === turn.role) for (const block of turn.content) last.content.push(block);
    else if (turn.content.length > 0) turns.push(turn);
  }
  const contents = withNamedDocuments(turns.map(({ content }) => content));
  if (turns.at(-1)?.role === "assistant") contents.push(withoutBlankEnd(contents.pop() ?? []));
  return turns.map(({ role }, at) => ({ role, content: contents[at] ?? [] }));
}

/** An answer that was begun for the model may not end with a blank. */
const withoutBlankEnd = (blocks: Block[]): Block[] =>
  blocks.map((block, at) =>
    at === blocks.length - 1 && typeof block.text === "string" ? { ...block, text: block.text.trimEnd() } : block,
  );

function turnOf(message: Json, telling: Reading): Turn {
  if (message.role === "assistant") return { role: "assistant", content: assistantBlocks(message, telling) };
  return { role: "user", content: message.role === "tool" ? resultBlocks(message, telling) : contentOf(message) };
}
const contentOf = (message: Json): Block[] => marked(message, blocksOf(message.content));
/** A mark on the message marks its end. */
const marked = (message: Json, blocks: Block[]): Block[] => (blocks.length > 0 ? [...blocks, ...cachePointOf(message)] : []);

function assistantBlocks(message: Json, telling: Reading): Block[] {
  const calls = Array.isArray(message.tool_calls) ? message.tool_calls.filter(isJson) : [];
  return marked(message, [...contentBlocks(message, telling), ...calls.flatMap((call) => callBlocks(call, telling))]);
}
/** `content_blocks` (thinking with its signature, as this provider gave it) win over the plain text that repeats them. */
function contentBlocks({ content_blocks, content, refusal }: Json, { thoughts }: ToolTelling): Block[] {
  const own = Array.isArray(content_blocks) ? blocksOf(content_blocks.filter(thoughts ? isOwn : isText)) : [];
  return own.some(({ text }) => text !== undefined) ? own : [...own, ...blocksOf(content ?? refusal)];
}
/** What another vendor gave, and thoughts that nobody signed, are refused. */
const isOwn = (block: unknown): boolean => isText(block) || (isJson(block) && isSignedThought(block));
const isText = (block: unknown): boolean => isJson(block) && block.type === "text";

function callBlocks(call: Json, { asBlocks, id, inner }: Reading): Block[] {
  const { name, arguments: text } = memberOf(call, "function");
  if (!asBlocks) return [{ text: `Called ${name} with ${text || "{}"}.` }];
  return [{ toolUse: { toolUseId: id(call.id), name, input: inner.argumentsOf(text) } }, ...cachePointOf(call)];
}
/** A part's own mark would stand inside the result, where no cache point may be. */
function resultBlocks(message: Json, { asBlocks, id }: ToolTelling): Block[] {
  const content = blocksOf(message.content).filter(({ cachePoint }) => cachePoint === undefined);
  if (!asBlocks) return content;
  const status = message.is_error === true ? { status: "error" } : {};
  return [{ toolResult: { toolUseId: id(message.tool_call_id), content, ...status } }, ...cachePointOf(message)];
}
