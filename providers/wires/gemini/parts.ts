import { GatewayError, isJson, type Json, readDataUrl, signatureFor } from "#contract";
import { GEMINI_WIRE } from "./wire.ts";

/** One part of a content of the wire. */
export type Part = Json;

/** The member an entry is named after: `{type: "file", file: {…}}` -> `{…}`. */
export function inner(holder: Json, name: string): Json {
  const value = holder[name];
  if (isJson(value)) return value;
  throw new GatewayError("REQUEST_INVALID", { what: `An entry of type ${name} needs an object member ${name}.` }, { param: "messages" });
}

/** Content parts of the chat form -> parts. One not named here travels on without its `type`: it may be the wire's own. */
const FROM_PART: Readonly<Record<string, (part: Json) => Part | undefined>> = {
  text: ({ text }) => (text === "" ? undefined : { text }),
  refusal: ({ refusal }) => ({ text: refusal }),
  thinking: (thought) => thoughtOf(thought),
  redacted_thinking: () => undefined, // another vendor's secret
  tool_use: () => undefined, // told by tool_calls
  image_url: (part) => image(typeof part.image_url === "string" ? { url: part.image_url } : inner(part, "image_url")),
  input_audio: (part) => audio(inner(part, "input_audio")),
  file: (part) => file(inner(part, "file")),
};

/** Another vendor's thought is left behind. */
function thoughtOf({ thinking: text, signature }: Json): Part | undefined {
  const thoughtSignature = signatureFor(GEMINI_WIRE, signature);
  const isForeign = typeof text !== "string" || (signature && thoughtSignature === undefined);
  return isForeign ? undefined : { text, thought: true, ...(thoughtSignature !== undefined && { thoughtSignature }) };
}

/** A text or a list of parts -> parts. */
export function partsOf(content: unknown): Part[] {
  if (typeof content === "string") return content === "" ? [] : [{ text: content }];
  return Array.isArray(content)
    ? content
        .filter(isJson)
        .map(partOf)
        .filter((part) => part !== undefined)
    : [];
}
function partOf({ type, ...rest }: Json): Part | undefined {
  const convert = typeof type === "string" && Object.hasOwn(FROM_PART, type) ? FROM_PART[type] : undefined;
  return convert ? convert(rest) : rest;
}

const inline = (mimeType: string, data: string): Part => ({ inlineData: { mimeType, data } });
const linked = (fileUri: string, mimeType: unknown): Part => ({ fileData: { ...(mimeType !== undefined && { mimeType }), fileUri } });

function image({ url, mime_type }: Json): Part {
  const link = String(url);
  const data = readDataUrl(link);
  if (data) return inline(String(mime_type ?? data.mediaType), data.data);
  return /^(gs|https?):\/\//.test(link) ? linked(link, mime_type ?? mimeOfUrl(link)) : inline("image/jpeg", link);
}
function file({ file_id, file_url, file_data, mime_type }: Json): Part {
  const link = file_url ?? file_id;
  if (typeof link === "string") return linked(link, mime_type ?? mimeOfUrl(link));
  const text = String(file_data ?? "");
  const data = readDataUrl(text);
  return data ? inline(String(mime_type ?? data.mediaType), data.data) : inline(String(mime_type ?? "application/pdf"), text);
}

const AUDIO: Readonly<Record<string, string>> = { mp3: "audio/mp3", pcm16: "audio/pcm", "x-aac": "audio/aac", "x-m4a": "audio/m4a" };
function audio({ data, format }: Json): Part {
  const name = String(format);
  return inline(AUDIO[name] ?? `audio/${name}`, String(data));
}

const office = "application/vnd.openxmlformats-officedocument";
const MIME: Readonly<Record<string, string>> = {
  jpg: "image/jpeg",
  jpeg: "image/jpeg",
  png: "image/png",
  bmp: "image/bmp",
  tiff: "image/tiff",
  webp: "image/webp",
  pdf: "application/pdf",
  csv: "text/csv",
  html: "text/html",
  md: "text/markdown",
  txt: "text/plain",
  doc: "application/msword",
  docx: `${office}.wordprocessingml.document`,
  xls: "application/vnd.ms-excel",
  xlsx: `${office}.spreadsheetml.sheet`,
  mp3: "audio/mp3",
  wav: "audio/wav",
  mp4: "video/mp4",
  mov: "video/mov",
  mpeg: "video/mpeg",
  mpg: "video/mpg",
  avi: "video/avi",
  wmv: "video/wmv",
  mpegps: "video/mpegps",
  flv: "video/flv",
  webm: "video/webm",
  mkv: "video/mkv",
  threegpp: "video/three_gpp",
};
/** By the name's ending; a file the vendor keeps (`files/…`) has its type on record there. */
const mimeOfUrl = (url: string): string | undefined => MIME[/\.(\w+)(?:[?#]|$)/.exec(url)?.[1]?.toLowerCase() ?? ""];
