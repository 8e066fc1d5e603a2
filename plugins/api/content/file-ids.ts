import { isJson, type Json } from "#contract";
import { idInAddress } from "./kept-names.ts";

/** Tool results hold parts of their own. */
const MOST_DEEP = 3;
const NONE: readonly string[] = [];

/** The ids of uploaded files that a conversation's parts name. One of plain texts is told by its messages' form. */
export function fileIds(body: Json): readonly string[] {
  const { messages } = body;
  if (!Array.isArray(messages)) return NONE;
  let found: string[] | undefined;
  for (const message of messages) {
    if (!isJson(message) || typeof message["content"] === "string") continue;
    found = addParts(message["content"], found, MOST_DEEP);
  }
  return found ?? NONE;
}

/** The same of images to edit, and of their mask. */
export const imageFileIds = ({ images, image, mask }: Json): readonly string[] =>
  addParts([images, image, mask], undefined, MOST_DEEP) ?? NONE;

function addParts(parts: unknown, before: string[] | undefined, deep: number): string[] | undefined {
  if (!Array.isArray(parts)) return isJson(parts) ? addPart(parts, before, deep) : before;
  let found = before;
  for (const part of parts)
    if (isJson(part)) found = addPart(part, found, deep);
    else if (Array.isArray(part) && deep > 0) found = addParts(part, found, deep - 1);
  return found;
}

function addPart(part: Json, before: string[] | undefined, deep: number): string[] | undefined {
  let found = before;
  const { file, source, image_file, image_url, content: inner } = part;
  const id = idIn(part) ?? idIn(file) ?? idIn(source) ?? idIn(image_file);
  if (id !== undefined) (found ??= []).push(id);
  for (const address of [image_url, urlIn(image_url), urlIn(source), urlIn(file), urlIn(part)]) {
    const kept = typeof address === "string" ? idInAddress(address) : undefined;
    if (kept !== undefined) (found ??= []).push(kept);
  }
  return deep > 0 && Array.isArray(inner) ? addParts(inner, found, deep - 1) : found;
}
/** Of some providers an id may be an address, which may be anybody's. */
function idIn(holder: unknown): string | undefined {
  const id = isJson(holder) ? holder["file_id"] : undefined;
  if (typeof id !== "string") return undefined;
  return id.includes("/") ? (idInAddress(id) ?? (id.includes("://") ? undefined : id)) : id;
}
const urlIn = (holder: unknown): unknown => (isJson(holder) ? (holder["url"] ?? holder["file_url"]) : undefined);
