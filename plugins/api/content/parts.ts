import { isJson, type Json, MAX_JSON_LEVELS, nestsDeeper, type SegmentKind } from "#contract";
import type { Found, Place } from "./found.ts";
import { readLeaves } from "./leaves.ts";

/** What one content part says, and below which of its members it stands. */
interface Piece {
  readonly kind: SegmentKind;
  readonly text: string;
  readonly below: string;
}
type ReadPart = (part: Json) => Piece | undefined;

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const member =
  (kind: SegmentKind, name: string): ReadPart =>
  (part) =>
    piece(kind, part[name], `.${name}`);
const piece = (kind: SegmentKind, value: unknown, below: string): Piece | undefined =>
  typeof value === "string" ? { kind, text: value, below } : undefined;
const within = (part: Json, name: string): Json => (isJson(part[name]) ? part[name] : {});

/** Content parts of all dialects, by `type`: the names do not collide, so one table reads chat, messages and responses. */
const PARTS: Readonly<Record<string, ReadPart>> = {
  text: member("text", "text"),
  input_text: member("text", "text"),
  output_text: member("text", "text"),
  refusal: member("text", "refusal"),
  thinking: member("reasoning", "thinking"),
  redacted_thinking: member("reasoning", "data"),
  reasoning: member("reasoning", "text"),
  reasoning_text: member("reasoning", "text"),
  summary_text: member("reasoning", "text"),
  image_url: (part) =>
    isJson(part["image_url"])
      ? piece("image", part["image_url"]["url"], ".image_url.url")
      : piece("image", part["image_url"], ".image_url"),
  input_image: member("image", "image_url"),
  image: (part) => source("image", part),
  input_audio: (part) => audio(within(part, "input_audio")),
  file: (part) => file(within(part, "file"), ".file"),
  input_file: (part) => file(part, ""),
  document: (part) => source("file", part),
  tool_use: toolCall,
  server_tool_use: toolCall,
};

const audio = ({ data, format }: Json): Piece | undefined =>
  typeof data === "string"
    ? { kind: "audio", text: `data:audio/${text(format) ?? "wav"};base64,${data}`, below: ".input_audio.data" }
    : undefined;

function file(of: Json, below: string): Piece | undefined {
  const name = ["file_data", "file_url", "file_id"].find((candidate) => typeof of[candidate] === "string");
  return name === undefined ? undefined : piece("file", of[name], `${below}.${name}`);
}

/** Anthropic's media: `{source: {type: base64|url|text, media_type, data|url}}`. */
function source(kind: "image" | "file", part: Json): Piece | undefined {
  const { url, data, media_type: mediaType, type } = within(part, "source");
  if (typeof url === "string") return piece(kind, url, ".source.url");
  if (typeof data !== "string") return undefined;
  return { kind, text: type === "base64" ? `data:${text(mediaType) ?? ""};base64,${data}` : data, below: ".source.data" };
}

/** `{"name":…,"arguments":…}`. Arguments are written anew, so that an escape such as \u0073 hides nothing from a pattern. */
export function toolText(name: unknown, args: unknown): string {
  const call = (written: unknown): string => JSON.stringify({ name: text(name) ?? "", arguments: written });
  if (typeof args !== "string") return call(args ?? {});
  const value = parsed(args);
  return call(nestsDeeper(value, MAX_JSON_LEVELS) ? unescaped(args) : value);
}
/** The same characters without their escapes; read by patterns, and by nobody as JSON. */
const unescaped = (json: string): string =>
  json.replace(/\\(?:u([0-9a-fA-F]{4})|(["\\/]))/g, (_, code: string | undefined, plain: string | undefined) =>
    code === undefined ? (plain ?? "") : String.fromCharCode(Number.parseInt(code, 16)),
  );
const parsed = (args: string): unknown => {
  try {
    return JSON.parse(args);
  } catch {
    return args; // a model may write arguments that are no JSON; they are judged as they stand
  }
};
function toolCall(part: Json): Piece {
  return { kind: "tool_call", text: toolText(part["name"], part["input"]), below: "" };
}

/** A part of a type we do not know, so that nothing is invisible: every text of it; of what a model gave, its own tools' results among it, the text or all of it as a file. */
function unknownPart(part: Json, place: Place, found: Found): void {
  const { type, ...rest } = part;
  if (place.role !== "assistant" || type === "text") return readLeaves(rest, place, found);
  const read = member("text", "text")(part) ?? { kind: "file", text: JSON.stringify(part), below: "" };
  add(found, place, read.kind, read.text, place.path + read.below);
}

/** Reads content: a string, a list of strings and parts, or a single part. */
export function readParts(content: unknown, place: Place, found: Found): void {
  if (typeof content === "string") return add(found, place, "text", content, place.path);
  if (Array.isArray(content))
    return content.forEach((part: unknown, index) => readPart(part, { ...place, path: `${place.path}[${index}]` }, found));
  readPart(content, place, found);
}

function readPart(part: unknown, place: Place, found: Found): void {
  if (typeof part === "string") return add(found, place, "text", part, place.path);
  if (Array.isArray(part)) return readLeaves(part, place, found);
  if (!isJson(part)) return; // token numbers and nulls say nothing
  if (part["type"] === "tool_result") return toolResult(part, place, found);
  const read = typeof part["type"] === "string" && Object.hasOwn(PARTS, part["type"]) ? PARTS[part["type"]]?.(part) : undefined;
  if (read) add(found, place, read.kind, read.text, place.path + read.below);
  else unknownPart(part, place, found);
}

/** Parts inside a tool's result are read one level deep; what nests deeper is read as its JSON. */
function toolResult(part: Json, place: Place, found: Found): void {
  const inside: Place = { ...place, path: `${place.path}.content`, role: "tool", result: true };
  if (!place.result || place.role !== "tool") return readParts(part["content"], inside, found);
  add(found, inside, "text", JSON.stringify(part["content"] ?? null), inside.path);
}

/** Only an assistant has thoughts: what another calls one is a text. */
function add(found: Found, { role, message, result }: Place, kind: SegmentKind, value: string, path: string): void {
  const isText = kind === "text" || (kind === "reasoning" && role !== "assistant");
  found.push({ path, role, kind: isText ? (result ? "tool_result" : "text") : kind, text: value, message });
}
