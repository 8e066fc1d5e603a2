import { type Adapter, isJson, type Json } from "#contract";

/** POST /messages as Anthropic defines it: bytes pass in both directions, and the body is touched only where Anthropic would refuse it. */
export const messages: Adapter = { request: (body) => withoutForeignThoughts(withoutTopP(body)) };

/** Anthropic takes one of the two. */
function withoutTopP(body: Json): Json {
  if (typeof body.temperature !== "number" || typeof body.top_p !== "number") return body;
  const { top_p: _dropped, ...rest } = body;
  return rest;
}

/** A thought without a signature is of another vendor's model, from an earlier turn; the conversation goes on without it. */
function withoutForeignThoughts(body: Json): Json {
  const { messages: turns } = body;
  if (!Array.isArray(turns) || !turns.some(hasForeignThought)) return body;
  return {
    ...body,
    messages: turns.map((turn: unknown) => (hasForeignThought(turn) ? { ...turn, content: ownContent(turn.content) } : turn)),
  };
}
type Turn = Json & { readonly content: readonly unknown[] };
const hasForeignThought = (turn: unknown): turn is Turn =>
  isJson(turn) && Array.isArray(turn.content) && turn.content.some(isForeignThought);
const isForeignThought = (block: unknown): boolean => isJson(block) && block.type === "thinking" && !block.signature;

/** A turn may not be empty. */
function ownContent(content: readonly unknown[]): readonly unknown[] {
  const own = content.filter((block) => !isForeignThought(block));
  return own.length > 0 ? own : [{ type: "text", text: "(no answer)" }];
}
