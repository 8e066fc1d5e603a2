import { type Adapter, isJson, type Json, readDataUrl } from "#contract";
import { obeying } from "./answering.ts";
import { invalid, missing } from "./missing.ts";

/** OCR: a data URL of text has its text on its pages, parted by form feeds; any other document is one page that names it. */
export const ocr = {
  ocr: {
    answer: obeying((body) => {
      const wanted: unknown = body["pages"];
      const pages = pagesOf(body["document"]).map((markdown, index) => ({ index, markdown, images: [] }));
      const shown = Array.isArray(wanted) ? pages.filter(({ index }) => wanted.includes(index)) : pages;
      return { pages: shown, model: String(body["model"] ?? "sandbox-ocr"), usage_info: { pages_processed: shown.length } };
    }),
  },
} satisfies Record<string, Adapter>;

const PAGE_END = "\f";

function pagesOf(document: unknown): readonly string[] {
  if (!isJson(document)) throw missing("document");
  const source = sourceOf(document);
  const read = source.startsWith("data:") ? textIn(source) : null;
  return read === null ? [`The sandbox has read ${nameOf(source)}.`] : read.split(PAGE_END);
}

/** The member that `type` names holds it; a file's is its id. */
function sourceOf(document: Json): string {
  const name = document["type"] === "file" ? "file_id" : String(document["type"]);
  const value: unknown = document[name];
  const source: unknown = isJson(value) ? value["url"] : value;
  if (typeof source !== "string" || source === "") throw missing(`document.${name}`);
  return source;
}

/** `null` for what is no text. */
function textIn(url: string): string | null {
  const read = readDataUrl(url);
  if (!read?.mediaType.startsWith("text/")) return null;
  if (read.isBase64) return Buffer.from(read.data, "base64").toString();
  try {
    return decodeURIComponent(read.data);
  } catch {
    throw invalid("document", "document is no well-formed data URL.");
  }
}

const nameOf = (source: string): string =>
  source.startsWith("data:") ? "a document" : (source.split(/[?#]/)[0]?.split("/").at(-1) ?? source);
