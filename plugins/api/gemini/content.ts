import { type BodyContent, isJson, type Json, type PlacedSegment, type SegmentKind } from "#contract";
import { list, roleOf } from "../content/conversation.ts";
import { at, type Found, type Place } from "../content/found.ts";
import { findCall } from "../content/parts.ts";

/* What bodies of this wire hold. Members may be written as `inlineData` or as `inline_data`: both are read. */

/** The member under either of its names, and where it stands. */
function* membersOf(json: Json, name: string, path: string): Generator<readonly [unknown, string]> {
  for (const written of [name, name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)])
    if (json[written] !== undefined) yield [json[written], `${path === "" ? "" : `${path}.`}${written}`];
}
type ReadMember = (value: Json, place: Place, found: Found) => void;

/** Members of a part that hold content, each read below its own name. */
const PARTS: Readonly<Record<string, ReadMember>> = {
  inlineData: ({ data, mimeType, mime_type = mimeType }, place, found) =>
    add(found, place, kindOf(mime_type), typeof data === "string" ? `data:${String(mime_type)};base64,${data}` : undefined, ".data"),
  fileData: (value, place, found) => {
    for (const [uri, path] of membersOf(value, "fileUri", ""))
      add(found, place, kindOf(value.mimeType ?? value.mime_type), uri, `.${path}`);
  },
  functionCall: ({ name, args }, { path, message }, found) => findCall(found, { path, message, name, args }),
  functionResponse: readResponse,
  executableCode: ({ code }, place, found) => add(found, place, "text", code, ".code"),
  codeExecutionResult: ({ output }, place, found) => add(found, place, "text", output, ".output"),
};
const BESIDE: ReadonlySet<string> = new Set(["thought", "thoughtSignature", "thought_signature", "videoMetadata", "video_metadata"]);

function readPart(part: unknown, place: Place, found: Found): void {
  if (!isJson(part)) return;
  const before = found.length;
  if (typeof part.text === "string") add(found, place, part.thought === true ? "reasoning" : "text", part.text, ".text");
  for (const name in PARTS)
    for (const [value, path] of membersOf(part, name, place.path)) if (isJson(value)) PARTS[name]?.(value, { ...place, path }, found);
  const isKnown = found.length > before || Object.keys(part).every((name) => BESIDE.has(name) || name === "text");
  if (!isKnown) add(found, place, "file", JSON.stringify(part), ""); // of tomorrow: nothing is invisible
}

/** Texts of a result one by one, so that they can be changed; what nests deeper is read as its JSON. */
function readResponse({ response, parts }: Json, place: Place, found: Found): void {
  const result: Place = { ...place, role: "tool" };
  for (const [name, value] of Object.entries(isJson(response) ? response : {})) {
    const path = `${place.path}.response.${name}`;
    add(found, { ...result, path }, "tool_result", typeof value === "string" ? value : JSON.stringify(value), "");
  }
  list(parts).forEach((part, index) => readPart(part, { ...result, path: `${place.path}.parts[${index}]` }, found));
}

const KINDS: readonly (readonly [string, SegmentKind])[] = [
  ["image/", "image"],
  ["audio/", "audio"],
];
const kindOf = (mimeType: unknown): SegmentKind => KINDS.find(([start]) => String(mimeType).startsWith(start))?.[1] ?? "file";

const add = (found: Found, { path, role, message, result }: Place, kind: SegmentKind, text: unknown, below: string): void => {
  if (typeof text !== "string") return;
  found.push({ path: path + below, role, kind: kind === "text" && result ? "tool_result" : kind, text, message });
};

/** A content: a list of parts with a role, or a text alone. */
function readContent(content: unknown, path: string, role: Place["role"] | null, message: number, found: Found): void {
  if (typeof content === "string") return add(found, at(path, role ?? "user", message), "text", content, "");
  if (!isJson(content)) return;
  const place = at(path, role ?? roleOf(content.role), message);
  list(content.parts).forEach((part, index) => readPart(part, { ...place, path: `${path}.parts[${index}]` }, found));
}

/** System texts that stand outside the conversation come before all of it. */
const BEFORE_ALL = -1;

type Reader = (body: Json, path: string, found: Found) => void;
const readRequest: Reader = (body, path, found) => {
  for (const [instruction, where] of membersOf(body, "systemInstruction", path))
    readContent(instruction, where, "system", BEFORE_ALL, found);
  const below = path === "" ? "" : `${path}.`;
  list(body.contents).forEach((content, index) => readContent(content, `${below}contents[${index}]`, null, index, found));
};
/** What is to be counted stands in the body itself, or below one member. */
const readCounted: Reader = (body, path, found) => {
  readRequest(body, path, found);
  for (const [request, where] of membersOf(body, "generateContentRequest", path)) if (isJson(request)) readRequest(request, where, found);
};
const readEmbedded: Reader = (body, path, found) => readContent(body.content, `${path === "" ? "" : `${path}.`}content`, "user", 0, found);
const readAllEmbedded: Reader = (body, path, found) =>
  list(body.requests).forEach((request, index) => isJson(request) && readEmbedded(request, `${path}requests[${index}]`, found));
const readAnswer: Reader = (body, _path, found) =>
  list(body.candidates).forEach((candidate, index) => {
    if (isJson(candidate)) readContent(candidate.content, `candidates[${index}].content`, "assistant", index, found);
  });

const reading =
  (read: Reader) =>
  (body: Json): readonly PlacedSegment[] => {
    const found: Found = [];
    read(body, "", found);
    return found;
  };

/** From the end, until a content says something; a body without one is read whole. */
function lastInput(body: Json): readonly PlacedSegment[] {
  const contents = list(body.contents);
  const found: Found = [];
  for (let index = contents.length - 1; index >= 0 && found.length === 0; index -= 1)
    readContent(contents[index], `contents[${index}]`, null, index, found);
  return found.length > 0 ? found : reading(readRequest)(body);
}

/** A call keeps the form in which it has its arguments. */
const replaced = (part: Json, changed: Json): Json =>
  "args" in part || "name" in part ? { ...part, name: changed.name ?? part.name, args: changed.arguments ?? {} } : changed;

export const GENERATED: BodyContent = { input: reading(readRequest), lastInput, output: reading(readAnswer), replaced };
export const COUNTED: BodyContent = { input: reading(readCounted), replaced, usage: () => NOTHING_USED };
export const EMBEDDED: BodyContent = { input: reading(readEmbedded), replaced, vectors: true };
export const ALL_EMBEDDED: BodyContent = { input: reading(readAllEmbedded), replaced, vectors: true };
/** Said, so that nobody counts the text and takes it for usage. */
const NOTHING_USED = { input: 0, output: 0 };
