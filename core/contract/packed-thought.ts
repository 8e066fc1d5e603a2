import { isJson, type Json, parseJson } from "./json.ts";

/**
 * What another provider's model wants back with its thoughts. Responses has one opaque member for such things,
 * `encrypted_content`, which every client returns as it came.
 */
export interface PackedThought {
  /** Of a thought, or of the tool call `call`. */
  readonly signature?: string;
  /** A thought that its provider shows to nobody. */
  readonly redacted?: string;
  readonly call?: string;
}

/** Tells what the gateway packed from what a provider encrypted. */
const MARK = "gw1.";

export const packThought = (thought: PackedThought): string => MARK + Buffer.from(JSON.stringify(thought)).toString("base64url");

/** Not by a provider with a Responses API, none of which can read it. */
export const isPackedThought = (content: unknown): content is string => typeof content === "string" && content.startsWith(MARK);

/** Nothing where a provider has encrypted it: no other can read that. */
export const unpackThought = (content: unknown): PackedThought => (isPackedThought(content) ? thoughtIn(jsonIn(content)) : {});
function jsonIn(content: string): Json {
  try {
    const value: unknown = parseJson(Buffer.from(content.slice(MARK.length), "base64url").toString());
    return isJson(value) ? value : {};
  } catch {
    return {}; // a client may have changed it
  }
}
function thoughtIn(value: Json): PackedThought {
  const [signature, redacted, call] = [text(value.signature), text(value.redacted), text(value.call)];
  return { ...(signature && { signature }), ...(redacted && { redacted }), ...(call && { call }) };
}
const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
