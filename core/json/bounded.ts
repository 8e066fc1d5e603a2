import { GatewayError, isJson, type Json, messageOf } from "#contract";
import { longJson } from "./long-json.ts";
import { namesIn, refuseRepeats } from "./repeats.ts";
import { type JsonLimits, JsonScan, tooDeep } from "./scan.ts";

export type { JsonLimits };

/** Deeper JSON is refused before anything walks it. */
export const MAX_DEPTH = 128;
/** Control and admin planes, and configs in headers: what people write by hand or by script. */
export const CONTROL_VALUES = 20_000;
/** Bytes of a body on the control and admin planes, unless its route says otherwise. */
export const CONTROL_BODY_BYTES = 1024 * 1024;

/** Parses a JSON object within limits. */
export const jsonObject = (text: string, limits: JsonLimits): Json => anObject(boundedJson(text, limits), limits);

/** The same for the bytes of a text of megabytes: others have their turn while it is judged and parsed. */
export async function longJsonObject(bytes: Uint8Array<ArrayBuffer>, limits: JsonLimits): Promise<Json> {
  const { value, names } = await longJson(bytes, limits).catch((thrown: unknown) => {
    throw GatewayError.is(thrown) ? thrown : notJson(thrown, limits);
  });
  refuseRepeats(names, value);
  return anObject(value, limits);
}

/** Where a list may stand in its place, the schema that judges it next tells the two apart. */
function anObject(value: unknown, { lists }: JsonLimits): Json {
  if (lists && Array.isArray(value)) return value as unknown as Json;
  if (!isJson(value)) throw new GatewayError("BODY_NOT_JSON", { why: lists ? "it must be an object or a list" : "it must be an object" });
  return value;
}

/** Of a shorter text only the depth is judged, after parsing: it cannot hold enough values to matter. */
const SCANNED_FROM = 16 * 1024;

/**
 * Parses JSON, refusing what nests too deep, names a member twice or holds too much to be handled safely. A long text is
 * judged before it is parsed.
 */
export function boundedJson(text: string, limits: JsonLimits): unknown {
  const scan = text.length >= SCANNED_FROM ? new JsonScan(limits) : null;
  scan?.read(text);
  const value = parsed(text, limits);
  if (!scan && deeper(value, limits.maxDepth)) throw tooDeep(limits);
  refuseRepeats(scan ? scan.names : namesIn(text), value);
  return value;
}

function parsed(text: string, limits: JsonLimits): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw notJson(thrown, limits);
  }
}
function notJson(thrown: unknown, limits: JsonLimits): GatewayError {
  if (thrown instanceof RangeError) return tooDeep(limits);
  const why = messageOf(thrown).replace(/^JSON Parse error: /, "");
  return new GatewayError("BODY_NOT_JSON", { why: why.slice(0, 120) }, { cause: thrown });
}

function deeper(value: unknown, left: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  if (left === 0) return true;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i += 1) if (deeper(value[i], left - 1)) return true;
    return false;
  }
  for (const key in value) if (deeper((value as Json)[key], left - 1)) return true; // an object, by the lines above
  return false;
}
