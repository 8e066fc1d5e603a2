import { type ChatTurn, InnerJson, isJson, type Json } from "#contract";
import { ownId } from "./call-ids.ts";
import { isSignedThought } from "./thinking.ts";
import { type Block, blocksOf, cacheOf, inner as memberOf } from "./blocks.ts";

export interface Turn {
  readonly role: "user" | "assistant";
  content: string | Block[];
}
const SYSTEM = new Set(["system", "developer"]);

/** All system messages in order, wherever they stand: the wire has one place for them. */
export function systemOf(messages: readonly ChatTurn[]): Block[] | undefined {
  const blocks = messages.filter((turn) => SYSTEM.has(turn.role)).flatMap((turn) => marked({ ...turn }, blocksOf(turn.content)));
  return blocks.length > 0 ? blocks : undefined;
}

/** The conversation; neighbours of the same role become one turn. */
export function turnsOf(messages: readonly ChatTurn[]): Turn[] {
  const turns: Turn[] = [];
  const inner = new InnerJson();
  for (const message of messages) {
    if (SYSTEM.has(message.role)) continue;
    const map = Object.hasOwn(FROM_ROLE, message.role) ? FROM_ROLE[message.role] : undefined;
    join(turns, (map ?? userTurn)({ ...message }, inner));
  }
  const begun = turns.at(-1);
  if (begun?.role === "assistant") begun.content = withoutBlankEnd(begun.content);
  return turns;
}
/** An answer that was begun for the model may not end with a blank. */
function withoutBlankEnd(content: string | Block[]): string | Block[] {
  if (typeof content === "string") return content.trimEnd();
  return content.map((block, at) =>
    at === content.length - 1 && typeof block.text === "string" ? { ...block, text: block.text.trimEnd() } : block,
  );
}
function join(turns: Turn[], turn: Turn): void {
  const last = turns.at(-1);
  if (turn.content.length === 0) return;
  if (last?.role !== turn.role) {
    turns.push(turn);
    return;
  }
  const content = asBlocks(last.content);
  for (const block of asBlocks(turn.content)) content.push(block);
  last.content = content;
}
const asBlocks = (content: string | Block[]): Block[] => (typeof content === "string" ? blocksOf(content) : content);

const userTurn = (turn: Json): Turn => ({ role: "user", content: contentOf(turn) });
const FROM_ROLE: Readonly<Record<string, (turn: Json, inner: InnerJson) => Turn>> = {
  user: userTurn,
  assistant: assistantTurn,
  tool: (turn) => ({ role: "user", content: [toolResult(turn)] }),
};

/** A plain text stays a plain text; a mark on the message marks its last block. */
function contentOf(turn: Json): string | Block[] {
  if (typeof turn.content === "string" && !isJson(turn.cache_control)) return turn.content.trim() === "" ? [] : turn.content;
  return marked(turn, blocksOf(turn.content));
}
const marked = (turn: Json, blocks: Block[]): Block[] =>
  blocks.map((block, at) => (at === blocks.length - 1 ? { ...block, ...cacheOf(turn) } : block));

function assistantTurn(turn: Json, inner: InnerJson): Turn {
  const calls = Array.isArray(turn.tool_calls) ? turn.tool_calls.filter(isJson) : [];
  const isPlain = calls.length === 0 && !Array.isArray(turn.content_blocks);
  if (isPlain) return { role: "assistant", content: contentOf({ ...turn, content: turn.content ?? turn.refusal }) };
  return { role: "assistant", content: marked(turn, [...contentBlocks(turn), ...calls.map((call) => toolUse(call, inner))]) };
}
/** `content_blocks` (thinking with its signature, as this provider gave it) win over the plain text that repeats them. */
function contentBlocks(turn: Json): Block[] {
  const own = Array.isArray(turn.content_blocks) ? blocksOf(turn.content_blocks.filter(isOwn)) : [];
  return own.some((block) => block.type === "text") ? own : [...own, ...blocksOf(turn.content ?? turn.refusal)];
}
/** Calls stand in `tool_calls`; what another vendor gave, and thoughts that nobody signed, are refused. */
const isOwn = (block: unknown): boolean => isJson(block) && (isSignedThought(block) || OWN.test(String(block.type)));
const OWN = /^(text|compaction|server_tool_use|mcp_tool_use|\w+_tool_result)$/;

function toolUse(call: Json, inner: InnerJson): Block {
  const { name, arguments: text } = memberOf(call, "function");
  return { type: "tool_use", id: ownId(call.id), name, input: inner.argumentsOf(text), ...cacheOf(call) };
}
function toolResult(turn: Json): Block {
  const content = typeof turn.content === "string" ? turn.content : blocksOf(turn.content);
  const failed = turn.is_error === true ? { is_error: true } : {};
  return { type: "tool_result", tool_use_id: ownId(turn.tool_call_id), content, ...failed, ...cacheOf(turn) };
}
