import { isJson, type Json, parseJson } from "#contract";
import { text } from "../content/wire.ts";

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

export const packed = (thought: PackedThought): string => MARK + Buffer.from(JSON.stringify(thought)).toString("base64url");

/** Nothing where a provider with a Responses API has written it: no other can read that. */
export function unpacked(content: unknown): PackedThought {
  const packedText = text(content);
  return packedText?.startsWith(MARK) ? thoughtIn(jsonIn(packedText)) : {};
}
function jsonIn(packedText: string): Json {
  try {
    const value: unknown = parseJson(Buffer.from(packedText.slice(MARK.length), "base64url").toString());
    return isJson(value) ? value : {};
  } catch {
    return {}; // a client may have changed it
  }
}
function thoughtIn(value: Json): PackedThought {
  const [signature, redacted, call] = [text(value.signature), text(value.redacted), text(value.call)];
  return { ...(signature && { signature }), ...(redacted && { redacted }), ...(call && { call }) };
}
