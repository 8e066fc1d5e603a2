import type { Json } from "#contract";
import { entry, object, objects, text } from "../../content/wire.ts";
import { refused } from "./refused.ts";

/* Content parts of items -> parts of the chat form. */

export type Parts = readonly Json[];
const FROM_PART: Readonly<Record<string, (part: Json) => Parts>> = {
  input_text: (part) => textPart(part.text),
  output_text: (part) => textPart(part.text),
  text: (part) => textPart(part.text),
  refusal: (part) => textPart(part.refusal),
  input_image: ({ image_url: url, detail }) => {
    if (text(url) === undefined) throw refused("An image by its file_id", "input");
    return [{ type: "image_url", image_url: { url, ...(text(detail) && { detail }) } }];
  },
  input_file: ({ file_data, file_url, file_id, filename }) => {
    const content = [["file_data", file_data] as const, ["file_url", file_url] as const, ["file_id", file_id] as const];
    const given = content.filter(([, value]) => text(value) !== undefined);
    return [{ type: "file", file: { ...Object.fromEntries(given.slice(0, 1)), ...(text(filename) && { filename }) } }];
  },
  input_audio: ({ input_audio }) => [{ type: "input_audio", input_audio: object(input_audio) }],
};

/** A text, or a list of parts. */
export function partsOf(content: unknown): Parts {
  if (typeof content === "string") return textPart(content);
  return objects(content).flatMap((part) => {
    const map = entry(FROM_PART, part.type);
    if (!map) throw refused(`A content part of the type ${String(part.type)}`, "input");
    return map(part);
  });
}

/** Empty texts say nothing, and some vendors refuse them. */
const textPart = (value: unknown): Parts => (text(value) === undefined ? [] : [{ type: "text", text: value }]);
const isText = (part: Json): part is Json & { readonly text: string } => part.type === "text";
/** Plain text as a text: some vendors take no parts, and none needs them for it. */
export const plain = (parts: Parts): string | Parts => (parts.every(isText) ? textOf(parts) : parts);
export const textOf = (parts: Parts, between = "\n"): string =>
  parts
    .filter(isText)
    .map((part) => part.text)
    .join(between);
export const media = (parts: Parts): Parts => parts.filter((part) => !isText(part));
