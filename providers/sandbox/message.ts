import { isJson, type Json } from "#contract";

/** The conversation of a chat body. */
export const messages = (body: Json): readonly Json[] => (Array.isArray(body["messages"]) ? body["messages"].filter(isJson) : []);

/** The text of a message, its parts joined. */
export function textOf({ content }: Json): string {
  if (typeof content === "string") return content;
  return Array.isArray(content)
    ? content.map((part: unknown) => (isJson(part) && typeof part["text"] === "string" ? part["text"] : "")).join("")
    : "";
}

/** So many characters of a text, or one fewer where that would cut a character in two. */
export function beginningOf(text: string, chars: number): string {
  if (text.length <= chars) return text;
  const splits = text.codePointAt(chars - 1) !== text.charCodeAt(chars - 1);
  return text.slice(0, splits ? chars - 1 : chars);
}
