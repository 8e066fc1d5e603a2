import { GatewayError, InnerJson, isJson, type Json, piecesOf, type PlacedSegment, type SegmentKind } from "#contract";
import { entry } from "./wire.ts";
import { add, findLater, type Found, type Place } from "./found.ts";
import { type Piece, piece, sourcePiece } from "./piece.ts";
import { readLeaves } from "./leaves.ts";
import { readCitations } from "./told-beside.ts";

type ReadPart = (part: Json) => Piece | undefined;

const text = (value: unknown): string | undefined => (typeof value === "string" ? value : undefined);
const member =
  (kind: SegmentKind, name: string): ReadPart =>
  (part) =>
    piece(kind, part[name], `.${name}`);
const memberObject = (part: Json, name: string): Json => (isJson(part[name]) ? part[name] : {});

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
  image: ({ source }) => sourcePiece("image", source),
  compaction: member("text", "content"),
  input_audio: (part) => audio(memberObject(part, "input_audio")),
  file: (part) => file(memberObject(part, "file"), ".file"),
  input_file: (part) => file(part, ""),
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

/** A call as a piece: where its arguments are a text, that is what it counts. */
export function findCall(found: Found, { name, args, ...at }: CallFound): void {
  const segment = { ...at, role: "assistant", kind: "tool_call" } as const;
  const make = (): string => toolText(name, args, found);
  const counted = soleText(args);
  findLater(found, counted === undefined ? segment : { ...segment, raw: `${text(name) ?? ""} ${counted}` }, make);
}
/** Arguments that are a text; and those that a wire wants as an object, and has as a text in one member of it. */
function soleText(args: unknown): string | undefined {
  if (typeof args === "string") return args;
  const [only, ...others] = isJson(args) ? Object.values(args) : [];
  return typeof only === "string" && others.length === 0 ? only : undefined;
}
interface CallFound extends Pick<PlacedSegment, "path" | "message"> {
  readonly name: unknown;
  readonly args: unknown;
}
/** `{"name":…,"arguments":…}`. Arguments are written anew, so that an escape such as \u0073 hides nothing from a pattern. */
function toolText(name: unknown, args: unknown, found: Found): string {
  const call = (written: unknown): string => `{"name":${JSON.stringify(text(name) ?? "")},"arguments":${inJson(written)}}`;
  if (typeof args !== "string") return call(args ?? {});
  return call(parsed(args, (found.inner ??= new InnerJson())));
}
/** What `JSON.stringify` makes of it, in a third of the time where it is, or has as a member, a text of megabytes with quotes. */
function inJson(value: unknown): string {
  if (typeof value === "string") return quoted(value);
  if (!isJson(value)) return JSON.stringify(value) ?? "null";
  return `{${Object.keys(value)
    .map((name) => `${JSON.stringify(name)}:${typeof value[name] === "string" ? quoted(value[name]) : JSON.stringify(value[name])}`)
    .join(",")}}`;
}
const PIECE = 256 * 1024;
function quoted(long: string): string {
  if (long.length <= PIECE) return JSON.stringify(long);
  let made = '"';
  for (const piece of piecesOf(long, PIECE)) made += JSON.stringify(piece).slice(1, -1);
  return `${made}"`;
}
/** The same characters without their escapes; read by patterns, and by nobody as JSON. */
const unescaped = (json: string): string =>
  json.replace(/\\(?:u([0-9a-fA-F]{4})|(["\\/]))/g, (_, code: string | undefined, plain: string | undefined) =>
    code === undefined ? (plain ?? "") : String.fromCharCode(Number.parseInt(code, 16)),
  );
const parsed = (args: string, inner: InnerJson): unknown => {
  try {
    return inner.parse(args);
  } catch (thrown) {
    if (GatewayError.is(thrown)) throw thrown;
    return unescaped(args); // a model may write arguments that are no JSON, or nest too deeply to be written anew
  }
};
function toolCall(part: Json): Piece {
  return { kind: "tool_call", text: (found) => toolText(part["name"], part["input"], found), below: "" };
}

/** A part of a type we do not know, so that nothing is invisible: every text of it; of what a model gave, its own tools' results among it, the text, and beside it the others. */
function unknownPart(part: Json, place: Place, found: Found): void {
  const { type, ...rest } = part;
  if (place.role !== "assistant" || type === "text") return readLeaves(rest, place, found);
  const { text: said, ...others } = rest;
  readCitations(others, place.path, place.message, found);
  const read = member("text", "text")({ text: said });
  if (read) add(found, place, read.kind, read.text, place.path + read.below);
}

/** Reads content: a string, a list of strings and parts, or a single part. */
export function readParts(content: unknown, place: Place, found: Found): void {
  if (typeof content === "string") return add(found, place, "text", content, place.path);
  if (Array.isArray(content))
    return content.forEach((part: unknown, index) => {
      const path = `${place.path}[${index}]`;
      if (typeof part === "string") add(found, place, "text", part, path);
      else readPart(part, { ...place, path }, found);
    });
  readPart(content, place, found);
}

function readPart(part: unknown, place: Place, found: Found): void {
  if (typeof part === "string") return add(found, place, "text", part, place.path);
  if (Array.isArray(part)) return readLeaves(part, place, found);
  if (!isJson(part)) return; // token numbers and nulls say nothing
  const holder = entry(HOLDERS, part["type"]);
  if (holder) return holder(part, place, found);
  const read = entry(PARTS, part["type"])?.(part);
  if (read && place.role === "assistant") readRests(part, place, found);
  if (read) add(found, place, read.kind, read.text, place.path + read.below);
  else unknownPart(part, place, found);
}

/** Before the text, whose patch empties them. */
function readRests(part: Json, { path, message }: Place, found: Found): void {
  for (const name of ["annotations", "citations"])
    if (Array.isArray(part[name])) readCitations(part[name], `${path}.${name}`, message, found);
}

/** Parts that hold content of their own. */
const HOLDERS: Readonly<Record<string, (part: Json, place: Place, found: Found) => void>> = {
  tool_result: toolResult,
  mcp_tool_result: toolResult,
  document: inDocument((part, place, found) => {
    const { title, context, source } = part;
    readTexts({ title, context }, place, found);
    if (isJson(source) && source["type"] === "content")
      return readParts(source["content"], { ...place, path: `${place.path}.source.content` }, found);
    const { kind, text, below } = sourcePiece("file", source) ?? { kind: "file", text: () => JSON.stringify(part), below: "" };
    add(found, place, kind, text, place.path + below);
  }),
  search_result: inDocument(({ title, source, content }, place, found) => {
    readTexts({ title, source }, place, found);
    readParts(content, { ...place, path: `${place.path}.content` }, found);
  }),
};
function inDocument(read: (part: Json, place: Place, found: Found) => void) {
  return (part: Json, place: Place, found: Found): void =>
    place.inDocument
      ? add(found, place, "text", () => JSON.stringify(part), place.path)
      : read(part, { ...place, inDocument: true }, found);
}
/** Members that are texts, and told to the model. */
function readTexts(members: Json, place: Place, found: Found): void {
  for (const [name, value] of Object.entries(members))
    if (typeof value === "string") add(found, place, "text", value, `${place.path}.${name}`);
}

/** Parts inside a tool's result are read one level deep; what nests deeper is read as its JSON. */
function toolResult(part: Json, place: Place, found: Found): void {
  const inside: Place = { ...place, path: `${place.path}.content`, role: "tool", result: true };
  if (!place.result || place.role !== "tool") return readParts(part["content"], inside, found);
  add(found, inside, "text", () => JSON.stringify(part["content"] ?? null), inside.path);
}
