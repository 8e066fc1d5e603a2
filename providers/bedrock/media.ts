import { Buffer } from "node:buffer";
import { GatewayError, isJson, type Json, readDataUrl } from "#contract";
import type { Block } from "./blocks.ts";

/** Where a file's content is: here (base64), or in a bucket. */
type Source = { readonly bytes: string } | { readonly s3Location: { readonly uri: string } };

/** `{url, mime_type?}` of an image part; it may be a document or a video as well. */
export function media({ url, mime_type }: Json): Block {
  const { source, mime } = sourceOf(String(url));
  return block(String(mime_type ?? mime ?? "image/jpeg"), source, undefined);
}

/** `{file_data | file_url | file_id, mime_type?, filename?}`. */
export function mediaOfFile({ file_data, file_url, file_id, mime_type, filename, file_name = filename }: Json): Block {
  const link = file_data ?? file_url ?? file_id;
  const { source, mime } = file_data !== undefined && !isUrl(String(link)) ? bare(String(link)) : sourceOf(String(link));
  return block(String(mime_type ?? mime ?? "application/pdf"), source, file_name);
}
const isUrl = (text: string): boolean => text.startsWith("data:") || text.startsWith("s3://");
const bare = (bytes: string): { readonly source: Source; readonly mime?: string } => ({ source: { bytes } });

/** Characters of a media type that are read. */
const MAX_TYPE = 256;
/** The name of a document is made usable, and unique, when the whole conversation is known. */
function block(mime: string, source: Source, name: unknown): Block {
  const [major = "", minor = ""] = mime.slice(0, MAX_TYPE).toLowerCase().split(";")[0]?.split("/") ?? [];
  const format = FORMATS[minor] ?? minor;
  if (major === "image" || major === "video") return { [major]: { format, source } };
  return { document: { format, ...(typeof name === "string" && { name }), source } };
}

function sourceOf(url: string): { readonly source: Source; readonly mime?: string } {
  const inline = readDataUrl(url);
  if (inline) return { source: { bytes: inline.isBase64 ? inline.data : encoded(inline.data) }, mime: inline.mediaType };
  if (url.startsWith("s3://")) return { source: { s3Location: { uri: url } }, ...mimeOfName(url) };
  const what = "Bedrock fetches nothing from the web: give an image or a file as a data URL or as an s3:// URL.";
  throw new GatewayError("REQUEST_INVALID", { what }, { param: "messages" });
}
/** Characters of all data URLs of a request that are not base64: writing more of them anew would hold up everybody else. */
const MAX_TEXT = 1024 * 1024;
/** Asked of a conversation before any of its URLs is written anew. */
export function refuseMuchText(messages: readonly { readonly content?: unknown }[]): void {
  let chars = 0;
  for (const { content } of messages) if (Array.isArray(content)) for (const part of content) chars += isJson(part) ? textIn(part) : 0;
  if (chars > MAX_TEXT) throw new GatewayError("REQUEST_INVALID", { what: TOO_LONG }, { param: "messages" });
}
function textIn({ image_url, file }: Json): number {
  const link = isJson(image_url) ? image_url.url : isJson(file) ? (file.file_data ?? file.file_url ?? file.file_id) : image_url;
  const inline = typeof link === "string" ? readDataUrl(link) : null;
  return inline?.isBase64 === false ? inline.data.length : 0;
}
function encoded(data: string): string {
  try {
    return Buffer.from(decodeURIComponent(data)).toString("base64");
  } catch {
    throw new GatewayError("REQUEST_INVALID", { what: "A data URL is neither base64 nor percent-encoded text." }, { param: "messages" });
  }
}

const TOO_LONG = `Data URLs of more than ${MAX_TEXT} characters together must be base64.`;

const office = "vnd.openxmlformats-officedocument";
/** Minor part of a MIME type -> the wire's word, where they differ. */
const FORMATS: Readonly<Record<string, string>> = {
  jpg: "jpeg",
  plain: "txt",
  markdown: "md",
  "x-markdown": "md",
  msword: "doc",
  "vnd.ms-excel": "xls",
  [`${office}.wordprocessingml.document`]: "docx",
  [`${office}.spreadsheetml.sheet`]: "xlsx",
  quicktime: "mov",
  "x-matroska": "mkv",
  "x-flv": "flv",
  "x-ms-wmv": "wmv",
  "3gpp": "three_gp",
  three_gpp: "three_gp",
};

/** By the ending of an object's name. */
const ENDINGS: readonly (readonly [string, RegExp])[] = [
  ["image/", /^(jpe?g|png|gif|webp|bmp|tiff)$/],
  ["video/", /^(mkv|mov|mp4|webm|flv|mpeg|mpg|wmv|3gpp?|avi)$/],
  ["application/", /^(pdf|csv|docx?|xlsx?|html|txt|md)$/],
];
function mimeOfName(uri: string): { readonly mime?: string } {
  const ending = /\.(\w+)$/.exec(uri)?.[1]?.toLowerCase() ?? "";
  const major = ENDINGS.find(([, endings]) => endings.test(ending))?.[0];
  return major === undefined ? {} : { mime: `${major}${ending === "3gp" ? "3gpp" : ending}` };
}
