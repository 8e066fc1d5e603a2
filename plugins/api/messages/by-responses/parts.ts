import type { Json } from "#contract";
import { entry, object, objects, text } from "../../content/wire.ts";
import { partsOf } from "../served/blocks.ts";

type Parts = readonly Json[];

/** What the provider keeps itself is named by its id. */
function keptFile({ type, source }: Json): Parts | undefined {
  const { type: by, file_id } = object(source);
  if (by !== "file" || text(file_id) === undefined) return undefined;
  return type === "image" || type === "document" ? [{ type: type === "image" ? "input_image" : "input_file", file_id }] : undefined;
}

/** Parts of the chat form -> parts of an item. */
const FROM_PART: Readonly<Record<string, (part: Json) => Json>> = {
  text: (part) => ({ type: "input_text", text: part.text }),
  image_url: ({ image_url }) => ({ type: "input_image", image_url: object(image_url).url }),
  // a file by its address has no name of its own
  file: ({ file }) => {
    const { file_url, file_data, filename } = object(file);
    return file_url === undefined ? { type: "input_file", filename, file_data } : { type: "input_file", file_url };
  },
};

/** A text, or a list of blocks. */
export const inputParts = (content: unknown): Parts =>
  typeof content === "string" ? fromChat(content) : objects(content).flatMap((block) => keptFile(block) ?? fromChat([block]));
const fromChat = (content: unknown): Parts =>
  partsOf(content, { mapped: false }).map((part) => entry(FROM_PART, part.type)?.(part) ?? part);
