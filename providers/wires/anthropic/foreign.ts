import { isJson, type Json, signatureFor } from "#contract";
import { isOwnId, ownId } from "./call-ids.ts";
import { CLAUDE_WIRE } from "./thinking.ts";

/*
 * What another vendor's model left in a conversation in Anthropic's own form, and Anthropic refuses: its thoughts, the
 * signatures of its calls, and ids with characters of its own.
 */

type Turn = Json & { readonly content: readonly unknown[] };
/** A block as Anthropic takes it, the same object where it is one of its own; nothing where it takes none of it. */
type Own = (block: Json) => Json | undefined;

/** A message request without them: the same object where there are none. */
export function withoutForeign(body: Json): Json {
  const { messages: turns } = body;
  if (!Array.isArray(turns) || !turns.some(isForeignTurn)) return body;
  return { ...body, messages: turns.map((turn: unknown) => (isForeignTurn(turn) ? ownTurn(turn) : turn)) };
}
const isForeignTurn = (turn: unknown): turn is Turn =>
  isJson(turn) && Array.isArray(turn.content) && turn.content.some((block) => ownBlock(block) !== block);

/** A turn may not be empty. */
function ownTurn(turn: Turn): Json {
  const content = turn.content.map(ownBlock).filter((block) => block !== undefined);
  return { ...turn, content: content.length > 0 ? content : [{ type: "text", text: "(no answer)" }] };
}
function ownBlock(block: unknown): unknown {
  if (!isJson(block) || typeof block.type !== "string" || !Object.hasOwn(FROM_BLOCK, block.type)) return block;
  return FROM_BLOCK[block.type]?.(block);
}
const FROM_BLOCK: Readonly<Record<string, Own>> = {
  thinking(block) {
    const signature = signatureFor(CLAUDE_WIRE, block.signature);
    if (signature === undefined) return undefined;
    return signature === block.signature ? block : { ...block, signature };
  },
  tool_use(block) {
    if (block.thought_signature === undefined) return withOwnId(block, "id");
    const { thought_signature: _of, ...own } = block;
    return withOwnId(own, "id");
  },
  tool_result: (block) => withOwnId(block, "tool_use_id"),
};

function withOwnId(block: Json, member: "id" | "tool_use_id"): Json {
  const id = block[member];
  return typeof id !== "string" || isOwnId(id) ? block : { ...block, [member]: ownId(id) };
}
