import { isUtf8 } from "node:buffer";
import { type Body, GatewayError, type Json, type JsonText, type Operation, type RequestHeaders } from "#contract";
import type { Held } from "../kernel/process/memory-budget.ts";
import { nestingCost, textCost } from "../json/memory-cost.ts";
import { inTime } from "../kernel/process/plugin-answer.ts";
import { isJsonType } from "../json/json-type.ts";
import { joined, utf8, withoutMark } from "../json/utf8.ts";
import { ArrivingBody, fromClient } from "./arriving-body.ts";
import { PassingField } from "../pipeline/call/passing-field.ts";
import { type JsonLimits, jsonObject, longJsonObject } from "../json/bounded.ts";

/** Limits of request bodies. */
export interface BodyLimits extends JsonLimits {
  /** JSON bodies are held in memory. */
  readonly maxJsonBytes: number;
  /**
   * Milliseconds until a JSON body must be there as a whole, and the longest a form may be silent (an upload may take as
   * long as it goes on arriving); BODY_MS unless a test says so.
   */
  readonly bodyMs?: number;
}
const BODY_MS = 60_000;

/** Reads a request's body as its operation says: JSON once into memory, a form not at all. */
export function bodyOf(request: Request, headers: RequestHeaders, how: BodyReading, held?: Held): Body | Promise<Body> {
  const { kind, limits } = how;
  if (kind === "none") return NONE;
  refuseEncoded(headers.get("content-encoding"));
  const contentType = headers.get("content-type") ?? "";
  if (contentType.length > PLAIN_TYPE.length) refuseCharset(contentType);
  const isJson = contentType.toLowerCase().includes("json") || (how.optional === true && contentType === "");
  if (kind === "form" && !(how.orJson && isJson)) return formOf(request, contentType, limits, held);
  if (!isJson)
    throw new GatewayError("CONTENT_TYPE", { got: contentType || "(none)", expected: "application/json" }, { param: "content-type" });
  return jsonBody(request, headers, how, held);
}
/** Nobody unpacks it, and as text it would read like a broken one. */
function refuseEncoded(encoding: string | null): void {
  if (encoding === null || /^\s*(identity)?\s*$/i.test(encoding)) return;
  throw new GatewayError("CONTENT_ENCODING", { got: encoding.slice(0, 80) }, { param: "content-encoding" });
}

const PLAIN_TYPE = "application/json";
/** Bodies are read as UTF-8, whatever is said of them; forms have a reader that judges theirs. */
function refuseCharset(contentType: string): void {
  const charset = /^application\/[^;]*;.*\bcharset\s*=\s*"?([^\s";]+)/i.exec(contentType)?.[1];
  if (charset === undefined || /^(utf-?8|us-ascii)$/i.test(charset)) return;
  throw new GatewayError(
    "CONTENT_TYPE",
    { got: contentType.slice(0, 200), expected: "application/json in UTF-8" },
    { param: "content-type" },
  );
}

/** How the bodies of a route are read. */
export interface BodyReading {
  readonly kind: Operation["body"];
  /** A form may come as JSON. */
  readonly orJson?: boolean;
  /** What JSON does wrong is marked, not refused. */
  readonly marksUnfit?: boolean;
  /** JSON may be left out. */
  readonly optional?: boolean;
  readonly limits: BodyLimits;
  readonly accept?: Accept | undefined;
}
/** Throws what a JSON body does wrong. */
export type Accept = (body: Json) => void;
const NONE: Body = Object.freeze({ kind: "none" });

function formOf(request: Request, contentType: string, { bodyMs = BODY_MS }: BodyLimits, held?: Held): Body {
  if (!isForm(contentType))
    throw new GatewayError("CONTENT_TYPE", { got: contentType || "(none)", expected: "multipart/form-data" }, { param: "content-type" });
  if (!request.body) throw new GatewayError("REQUEST_INVALID", { what: "The multipart form is empty." });
  return { kind: "form", contentType, ...passingForm(request, request.body, contentType, { silentMs: bodyMs, held }) };
}

/** A body that passes, whatever it is: JSON is read, since it may name a model; of all others bytes are passed on as they come. */
export function passingBody(request: Request, headers: RequestHeaders, how: BodyReading, held?: Held): Body | Promise<Body> {
  if (!request.body || request.method === "GET" || request.method === "HEAD") return NONE;
  const contentType = headers.get("content-type") ?? "";
  if (isJsonType(contentType)) return jsonBody(request, headers, { ...how, optional: true }, held);
  const silentMs = how.limits.bodyMs ?? BODY_MS;
  if (isForm(contentType)) return { kind: "raw", contentType, ...passingForm(request, request.body, contentType, { silentMs, held }) };
  const { stream } = new ArrivingBody(request.body, { request, silentMs });
  return { kind: "raw", contentType, stream };
}
/** A form's bytes as they come, and the model that is found in them. */
function passingForm(
  request: Request,
  body: ReadableStream<Uint8Array>,
  contentType: string,
  { silentMs, held }: { readonly silentMs: number; readonly held: Held | undefined },
): Pick<PassingForm, "stream" | "model" | "findModel" | "watch"> {
  const field = new PassingField("model", contentType);
  const arriving = new ArrivingBody(body, { request, silentMs, field, held });
  return {
    stream: arriving.stream,
    model: () => field.value,
    findModel: () => arriving.readToField(),
    watch: (watcher) => arriving.watch(watcher),
  };
}
type PassingForm = Extract<Body, { kind: "form" }>;
const isForm = (contentType: string): boolean => contentType.toLowerCase().startsWith("multipart/form-data");

async function jsonBody(request: Request, headers: RequestHeaders, how: BodyReading, held?: Held): Promise<Body> {
  const { limits, accept, optional } = how;
  let text: JsonText;
  try {
    text = await inTime(boundedText(request, headers, limits.maxJsonBytes, held), limits.bodyMs ?? BODY_MS, bodyLate);
  } catch (thrown) {
    throw fromClient(request, thrown);
  }
  if (optional && text.length === 0) text = "{}";
  held?.take(nestingCost(text));
  const value = typeof text === "string" ? jsonObject(text, limits) : await longJsonObject(text, limits);
  if (how.marksUnfit && accept && !fits(value, accept)) return { kind: "json", text, value, unfit: true };
  if (!how.marksUnfit) accept?.(value);
  return { kind: "json", text, value };
}
function fits(value: Json, accept: Accept): boolean {
  try {
    accept(value);
    return true;
  } catch (thrown) {
    if (GatewayError.is(thrown)) return false;
    throw thrown;
  }
}
/** What is shorter takes no longer than a turn of the event loop may. */
const LONG = 256 * 1024;
const bodyLate = (bodyMs: number): GatewayError => new GatewayError("TIMEOUT", { timeoutMs: bodyMs, of: "body" });

function boundedText(request: Request, headers: RequestHeaders, limit: number, held?: Held): Promise<JsonText> {
  const declared = Number(headers.get("content-length") ?? Number.NaN);
  if (declared > limit) throw tooLarge(limit);
  if (!(declared >= 0)) return undeclaredBytes(request, limit, held).then(textOf);
  held?.take(textCost(declared));
  return declared < LONG ? shortText(request, declared) : request.bytes().then(textOf);
}
function textOf(bytes: Uint8Array<ArrayBuffer>): JsonText {
  if (!isUtf8(bytes)) throw notUtf8();
  return bytes.length < LONG ? utf8(withoutMark(bytes)) : withoutMark(bytes);
}
/**
 * A text made by the runtime, which does it quickest, and puts U+FFFD wherever bytes are no UTF-8 without saying so. Such a text
 * is told by its size: it takes more bytes than the body did, or three fewer where a byte order mark was taken away. A
 * character of four bytes that was cut behind its third takes as many: it passes, with U+FFFD in its place.
 */
async function shortText(request: Request, bytes: number): Promise<string> {
  const text = await request.text();
  const more = text.includes("\ufffd") ? Buffer.byteLength(text) - bytes : 0;
  if (more !== 0 && more !== -MARK_BYTES) throw notUtf8();
  return text;
}
const MARK_BYTES = 3;
const notUtf8 = (): GatewayError => new GatewayError("BODY_NOT_JSON", { why: "it is not UTF-8" });

async function undeclaredBytes(request: Request, limit: number, held?: Held): Promise<Uint8Array<ArrayBuffer>> {
  const parts: Uint8Array[] = [];
  let size = 0;
  let taken = 0;
  for await (const part of request.body ?? []) {
    size += part.length;
    if (size > limit) throw tooLarge(limit);
    taken = held?.takeUpTo(size, taken, textCost) ?? 0;
    parts.push(part);
  }
  return joined(parts);
}
const tooLarge = (limit: number): GatewayError => new GatewayError("BODY_TOO_LARGE", { limitMb: Math.round(limit / 1024 / 1024) });
