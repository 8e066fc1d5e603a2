import { isJson, type Json, type SegmentKind } from "#contract";
import { list, roleOf } from "../content/conversation.ts";
import { add, at, below, type Found, type Place, type TextFound } from "../content/found.ts";
import { readLeaves } from "../content/leaves.ts";
import { mediaKind } from "../content/media-kind.ts";
import { findCall } from "../content/parts.ts";

/* What contents of this wire hold. Members may be written as `inlineData` or as `inline_data`: both are read. */

/** `inlineData` as `inline_data`. */
export const snake = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** The member under either of its names, and where it stands. */
export function* membersOf(json: Json, name: string, path: string): Generator<readonly [unknown, string]> {
  for (const written of new Set([name, snake(name)])) if (json[written] !== undefined) yield [json[written], below(path, written)];
}
type ReadMember = (value: Json, place: Place, found: Found) => void;

/** Members of a part that hold content, each read below its own name. */
const PARTS: Readonly<Record<string, ReadMember>> = {
  inlineData: ({ data, mimeType, mime_type = mimeType }, place, found) => {
    const url: TextFound = () => `data:${String(mime_type)};base64,${String(data)}`; // of many megabytes, and few checks look at it
    if (typeof data === "string") add(found, place, kindOf(mime_type), url, `${place.path}.data`);
  },
  fileData: (value, place, found) => {
    const mimeType = value.mimeType ?? value.mime_type;
    for (const [uri, path] of membersOf(value, "fileUri", place.path))
      addText(found, place, mimeType === undefined && mediaKind(String(uri)) === "image" ? "image" : kindOf(mimeType), uri, path);
  },
  functionCall: ({ name, args }, { path, message }, found) => findCall(found, { path, message, name, args }),
  functionResponse: readResponse,
  executableCode: ({ code }, place, found) => addText(found, place, "text", code, `${place.path}.code`),
  codeExecutionResult: ({ output }, place, found) => addText(found, place, "text", output, `${place.path}.output`),
};
const BESIDE = ["thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"];
/** Members that hold nothing to read. */
const UNREAD: ReadonlySet<string> = new Set(BESIDE.flatMap((name) => [name, snake(name)]));
/** Member -> how it is read, under either of its names. */
const READERS: ReadonlyMap<string, ReadMember> = new Map(
  Object.entries(PARTS).flatMap(([name, read]) => [
    [name, read],
    [snake(name), read],
  ]),
);

function readPart(part: unknown, place: Place, found: Found): void {
  if (!isJson(part)) return;
  for (const name in part) {
    const value = part[name];
    if (name === "text" && typeof value === "string")
      add(found, place, part.thought === true ? "reasoning" : "text", value, `${place.path}.text`);
    else if (!UNREAD.has(name)) readMember(name, value, { ...place, path: below(place.path, name) }, found);
  }
}
/** Nothing is invisible: every text of a member of tomorrow, or all of it where a model gave it. */
function readMember(name: string, value: unknown, place: Place, found: Found): void {
  const read = READERS.get(name);
  if (read && isJson(value)) read(value, place, found);
  else if (place.role !== "assistant") readLeaves(value, place, found);
  else if (value !== null) add(found, place, "file", () => JSON.stringify(value), place.path);
}

/** Texts of a result one by one, so that they can be changed; what nests deeper is read as its JSON. */
function readResponse({ name, response, parts }: Json, place: Place, found: Found): void {
  const result: Place = { ...place, role: "tool", result: true };
  const beside = list(parts);
  if (beside.length > 0) addText(found, result, "text", name, `${place.path}.name`); // what they are the result of, a model is told
  const path = `${place.path}.response`;
  if (!isJson(response)) addValue(found, result, response, path);
  else for (const [member, value] of Object.entries(response)) addValue(found, result, value, below(path, member));
  beside.forEach((part, index) => readPart(part, { ...result, path: `${place.path}.parts[${index}]` }, found));
}
function addValue(found: Found, place: Place, value: unknown, path: string): void {
  if (value !== undefined && value !== null)
    add(found, place, "text", typeof value === "string" ? value : () => JSON.stringify(value), path);
}

const KINDS: readonly (readonly [string, SegmentKind])[] = [
  ["image/", "image"],
  ["audio/", "audio"],
];
const kindOf = (mimeType: unknown): SegmentKind => KINDS.find(([start]) => String(mimeType).startsWith(start))?.[1] ?? "file";

function addText(found: Found, place: Place, kind: SegmentKind, text: unknown, path: string): void {
  if (typeof text === "string") add(found, place, kind, text, path);
}

/** A content: a list of parts with a role, or a text alone. */
export function readContent(content: unknown, path: string, role: Place["role"] | null, message: number, found: Found): void {
  if (typeof content === "string") return add(found, at(path, role ?? "user", message), "text", content, path);
  if (!isJson(content)) return;
  const place = at(path, role ?? roleOf(content.role), message);
  list(content.parts).forEach((part, index) => readPart(part, { ...place, path: `${path}.parts[${index}]` }, found));
}
