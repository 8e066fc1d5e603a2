import { GatewayError, isJson, type Json, type ServedTo } from "#contract";
import { entry, object, objects, text } from "../../content/wire.ts";

/* Content blocks -> parts of the chat form. What a chat completion cannot be asked is refused by its name. */

export const refused = (what: string, param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `${what} is served by providers with a Messages API of their own only.` }, { param });

type Parts = readonly Json[];
const FROM_BLOCK: Readonly<Record<string, (block: Json) => Parts>> = {
  text: (block) => textPart(block.text),
  image: ({ source }) => [{ type: "image_url", image_url: { url: urlOf(object(source), "image") } }],
  document: ({ source, title, context }) => documentParts(object(source), text(title), text(context)),
  search_result: ({ title, source, content }) => [
    ...textPart(`${text(title) ?? "Search result"}: ${text(source) ?? ""}`),
    ...objects(content).flatMap((block) => textPart(block.text)),
  ],
};

/** A text, or a list of blocks. */
export function partsOf(content: unknown, to: ServedTo): Parts {
  if (typeof content === "string") return textPart(content);
  return objects(content).flatMap((block) => {
    const map = entry(FROM_BLOCK, block.type);
    if (!map) throw refused(`A content block of the type ${String(block.type)}`, "messages");
    return marked(map(block), cacheOf(block, to));
  });
}
/** Where the prompt cache may end; only wires that know the mark take it. */
export const cacheOf = ({ cache_control: mark }: Json, { mapped }: ServedTo): Json =>
  mapped && isJson(mark) ? { cache_control: mark } : {};
const marked = (parts: Parts, mark: Json): Parts =>
  "cache_control" in mark ? parts.map((part, at) => (at === parts.length - 1 ? { ...part, ...mark } : part)) : parts;
export const isMarked = (part: Json): boolean => "cache_control" in part;

/** Empty texts say nothing, and some vendors refuse them. */
const textPart = (value: unknown): Parts => (typeof value === "string" && value !== "" ? [{ type: "text", text: value }] : []);

function urlOf(source: Json, kind: string): string {
  if (source.type === "base64") return `data:${String(source.media_type)};base64,${String(source.data)}`;
  if (source.type === "url" && typeof source.url === "string") return source.url;
  throw refused(`A source of the type ${String(source.type)} for ${kind === "image" ? "an image" : "a document"}`, "messages");
}

function documentParts(source: Json, title: string | undefined, context: string | undefined): Parts {
  const about = [title, context].filter((label) => label !== undefined).join("\n");
  if (source.type === "text") return textPart(about === "" ? String(source.data) : `${about}\n${String(source.data)}`);
  if (source.type === "content") return [...textPart(about), ...partsOf(source.content, { mapped: false })];
  const url = urlOf(source, "document");
  const file = source.type === "url" ? { file_url: url } : { file_data: url };
  return [...textPart(context), { type: "file", file: { ...file, filename: title ?? "document.pdf" } }];
}

const isText = (part: Json): part is Json & { readonly text: string } => part.type === "text";
/** Plain text as a text: some vendors take no parts, and none needs them for it. */
export const plain = (parts: Parts): string | Parts => (parts.every((part) => isText(part) && !isMarked(part)) ? textOf(parts) : parts);
export const textOf = (parts: Parts, between = "\n"): string =>
  parts
    .filter(isText)
    .map((part) => part.text)
    .join(between);
export const media = (parts: Parts): Parts => parts.filter((part) => !isText(part));
