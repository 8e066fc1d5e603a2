import type { Json } from "#contract";
import { named, text } from "../wire.ts";
import { refused } from "./refused.ts";

/* Parts of a content -> parts of the chat form. */

type Parts = readonly Json[];

/** A part that is neither thought, call nor answer of a call. */
export function partsOf(part: Json): Parts {
  if (typeof part.text === "string") return part.text === "" ? [] : [{ type: "text", text: part.text }];
  if (part.inlineData !== undefined) return [inline(named(part.inlineData))];
  if (part.fileData !== undefined) return [linked(named(part.fileData))];
  const name = Object.keys(part).find((member) => !BESIDE.has(member));
  throw refused(`A part with ${name ?? "nothing in it"}`, "contents");
}
/** Members that say something of what stands beside them. */
const BESIDE: ReadonlySet<string> = new Set(["thought", "thoughtSignature", "videoMetadata", "mediaResolution", "partMetadata"]);

function inline({ mimeType, data, displayName }: Json): Json {
  const type = text(mimeType) ?? "application/octet-stream";
  const url = `data:${type};base64,${String(data)}`;
  if (type.startsWith("image/")) return { type: "image_url", image_url: { url } };
  if (type.startsWith("audio/")) return { type: "input_audio", input_audio: { data, format: soundOf(type) } };
  return { type: "file", file: { file_data: url, filename: text(displayName) ?? `document.${fileEndingOf(type)}` } };
}
const SOUNDS: Readonly<Record<string, string>> = { "audio/mpeg": "mp3", "audio/x-wav": "wav", "audio/wave": "wav" };
const soundOf = (type: string): string => SOUNDS[type] ?? type.slice("audio/".length);
const fileEndingOf = (type: string): string => (type === "text/plain" ? "txt" : (type.split("/")[1] ?? "bin"));

/** What Google keeps for its own models, nobody else can read. */
const KEPT = /^(?!https?:)|^https:\/\/generativelanguage\.googleapis\.com\//;
function linked({ mimeType, fileUri, displayName }: Json): Json {
  const url = String(fileUri);
  if (KEPT.test(url)) throw refused("A file that Google keeps (fileData)", "contents");
  if (text(mimeType)?.startsWith("image/")) return { type: "image_url", image_url: { url } };
  return { type: "file", file: { file_url: url, filename: text(displayName) ?? url.split(/[?#]/)[0]?.split("/").at(-1) ?? "document" } };
}

const isText = (part: Json): part is Json & { readonly text: string } => part.type === "text";
/** Plain text as a text: some vendors take no parts, and none needs them for it. */
export const plain = (parts: Parts): string | Parts => (parts.every(isText) ? textOf(parts) : parts);
export const textOf = (parts: Parts, between = "\n"): string =>
  parts
    .filter(isText)
    .map((part) => part.text)
    .join(between);
