import { type BodyContent, isJson, type Json, type PlacedSegment, type Usage } from "#contract";
import { add, at, type Found } from "../content/found.ts";
import { eachObject, objectIn } from "../content/ids.ts";
import { RERANK } from "../content/index.ts";
import { readLeaves } from "../content/leaves.ts";

/** Where a document's address or its data stands, and what it is to a check. */
const SOURCES = { document_url: "file", image_url: "image", file_id: "file" } as const;

/** The document, and what is asked about it. */
function input(body: Json): readonly PlacedSegment[] {
  const found: Found = [];
  readDocument(objectIn(body, "document"), found);
  readLeaves(body["document_annotation_prompt"], at("document_annotation_prompt", "user", 0), found);
  return found;
}
function readDocument(document: Json, found: Found): void {
  for (const [name, kind] of Object.entries(SOURCES)) {
    const path = `document.${name}`;
    const source = document[name];
    if (typeof source === "string") add(found, at(path, "user", 0), kind, source, path);
    else if (isJson(source) && typeof source["url"] === "string") add(found, at(path, "user", 0), kind, source["url"], `${path}.url`);
  }
}

/** What was read on the pages: their Markdown, tables and notes, and the pictures cut out of them. */
function output(answer: Json): readonly PlacedSegment[] {
  const found: Found = [];
  readLeaves(answer["pages"], at("pages", "assistant", 0), found, (name) => NO_TEXT.has(name));
  readLeaves(answer["document_annotation"], at("document_annotation", "assistant", 0), found);
  eachObject(answer["pages"], (page, index) => readImages(page, `pages[${index}].images`, found));
  return found;
}
const NO_TEXT: ReadonlySet<string> = new Set(["id", "type", "image_base64"]);
function readImages(page: Json, path: string, found: Found): void {
  eachObject(page["images"], ({ image_base64: data }, index) => {
    const place = `${path}[${index}].image_base64`;
    if (typeof data === "string") add(found, at(place, "assistant", 0), "image", data, place);
  });
}

/** Pages are what is paid for; where a provider does not count them, tokens are estimated from what was read. */
function pagesUsed({ usage_info: usage, document_annotation: annotation }: Json): Usage | undefined {
  const pages = isJson(usage) ? usage["pages_processed"] : undefined;
  if (typeof pages !== "number") return undefined;
  return typeof annotation === "string" ? { annotatedPages: pages } : { pages };
}

export const OCR: BodyContent = {
  ...RERANK,
  input,
  output,
  usage: pagesUsed,
  names: new Set([...(RERANK.names ?? []), "document", "document_annotation_prompt", "url", ...Object.keys(SOURCES)]),
};
