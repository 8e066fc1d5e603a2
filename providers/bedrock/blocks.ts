import { GatewayError, isJson, type Json, signatureFor } from "#contract";
import { CLAUDE_WIRE } from "../wires/anthropic/thinking.ts";
import { media, mediaOfFile } from "./media.ts";

/** One content block of the wire: an object with one member. */
export type Block = Json;

/** The member an entry is named after: `{type: "file", file: {…}}` -> `{…}`. */
export function inner(holder: Json, name: string): Json {
  const value = holder[name];
  if (isJson(value)) return value;
  throw new GatewayError("REQUEST_INVALID", { what: `An entry of type ${name} needs an object member ${name}.` }, { param: "messages" });
}

/** Content parts of the chat form -> blocks. One not named here travels on without its `type`: it may be the wire's own. */
const FROM_PART: Readonly<Record<string, (part: Json) => Block | undefined>> = {
  text: ({ text }) => spoken(text),
  refusal: ({ refusal }) => spoken(refusal),
  thinking: (thought) => reasoningOf(thought),
  redacted_thinking: ({ data }) => ({ reasoningContent: { redactedContent: data } }),
  tool_use: () => undefined, // told by tool_calls
  image_url: (part) => media(typeof part.image_url === "string" ? { url: part.image_url } : inner(part, "image_url")),
  file: (part) => mediaOfFile(inner(part, "file")),
};
/** Another vendor's thought is refused by the wire, and so is one that nobody signed. */
function reasoningOf({ thinking: text, signature: given }: Json): Block | undefined {
  const signature = signatureFor(CLAUDE_WIRE, given);
  return signature === undefined ? undefined : { reasoningContent: { reasoningText: { text, signature } } };
}
/** Blank text is refused by the wire and says nothing. */
const spoken = (text: unknown): Block | undefined => (typeof text === "string" && text.trim() !== "" ? { text } : undefined);

/** A text or a list of parts -> blocks; a part that is marked is followed by a cache point. */
export function blocksOf(content: unknown): Block[] {
  if (typeof content === "string") return blocksOf([{ type: "text", text: content }]);
  return Array.isArray(content) ? content.filter(isJson).flatMap(partBlocks) : [];
}
function partBlocks({ type, ...part }: Json): Block[] {
  const convert = typeof type === "string" && Object.hasOwn(FROM_PART, type) ? FROM_PART[type] : undefined;
  const { cache_control: _mark, ...own } = part;
  const block = convert ? convert(part) : own;
  return block ? [block, ...cachePointOf(part)] : [];
}

/** The cache point that `cache_control` asks for behind its holder. */
export function cachePointOf({ cache_control: mark }: Json): Block[] {
  if (!isJson(mark)) return [];
  const ttl = mark.ttl === "5m" || mark.ttl === "1h" ? { ttl: mark.ttl } : {};
  return [{ cachePoint: { type: "default", ...ttl } }];
}
