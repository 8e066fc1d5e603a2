import { Buffer } from "node:buffer";
import { GatewayError, isJson, type Json, readDataUrl, signatureFor } from "#contract";
import { CLAUDE_WIRE } from "./thinking.ts";

/** One content block of the wire. */
export type Block = Json;

/** The member a part is named after: `{type: "file", file: {…}}` -> `{…}`. */
export function inner(part: Json, name: string): Json {
  const value = part[name];
  if (isJson(value)) return value;
  throw new GatewayError("REQUEST_INVALID", { what: `An entry of type ${name} needs an object member ${name}.` }, { param: "messages" });
}

/** Content parts of the chat form -> blocks. A part not named here travels on: it may be a block already. */
const FROM_PART: Readonly<Record<string, (part: Json) => Block>> = {
  text: ({ text }) => ({ type: "text", text }),
  refusal: ({ refusal }) => ({ type: "text", text: refusal }),
  image_url: (part) => image(typeof part.image_url === "string" ? { url: part.image_url } : inner(part, "image_url")),
  file: (part) => file(inner(part, "file")),
  thinking: ({ thinking, signature }) => ({ type: "thinking", thinking, signature: signatureFor(CLAUDE_WIRE, signature) }),
};

export function blockOf(part: Json): Block {
  const type = String(part.type);
  const map = Object.hasOwn(FROM_PART, type) ? FROM_PART[type] : undefined;
  return map ? { ...map(part), ...cacheOf(part) } : part;
}
/** `cache_control` of anything that may carry one. */
export const cacheOf = (holder: Json): Json => (isJson(holder.cache_control) ? { cache_control: holder.cache_control } : {});

/** A text or a list of parts -> blocks; blank texts are refused by the wire and say nothing, and so are another vendor's thoughts. */
export function blocksOf(content: unknown): Block[] {
  if (typeof content === "string") return blocksOf([{ type: "text", text: content }]);
  return Array.isArray(content) ? content.filter(isJson).map(blockOf).filter(isTaken) : [];
}
const isTaken = (block: Block): boolean =>
  block.type === "thinking" ? block.signature !== undefined : block.type !== "text" || String(block.text).trim() !== "";

function image({ url, mime_type }: Json): Block {
  const link = String(url);
  const data = readDataUrl(link);
  if (data) return media(String(mime_type ?? data.mediaType), data.data, true);
  return { type: "image", source: { type: "url", url: link } };
}

function file({ file_id, file_url, file_data, mime_type }: Json): Block {
  if (file_id) return { type: "document", source: { type: "file", file_id } };
  if (file_url) return { type: "document", source: { type: "url", url: file_url } };
  const text = String(file_data ?? "");
  const data = readDataUrl(text);
  if (data) return media(String(mime_type ?? data.mediaType), data.data, true);
  return media(String(mime_type ?? "application/pdf"), text, false);
}

function media(mediaType: string, data: string, encoded: boolean): Block {
  if (mediaType === "text/plain") {
    return { type: "document", source: { type: "text", media_type: mediaType, data: encoded ? decode(data) : data } };
  }
  return { type: mediaType.startsWith("image/") ? "image" : "document", source: { type: "base64", media_type: mediaType, data } };
}
const decode = (base64: string): string => Buffer.from(base64, "base64").toString("utf8");
