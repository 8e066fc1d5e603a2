import { isJson, type Json } from "./json.ts";

/** What an answer is an answer to: the text of the last message, or the prompt, or the input. */
export function questionOf(request: Json | null): string {
  if (request === null) return "";
  const { messages, contents, prompt, input } = request;
  if (Array.isArray(messages)) return textOfContent(contentOf(messages.at(-1)));
  if (Array.isArray(contents)) return textOfContent(contentOf(contents.at(-1), "parts"));
  if (prompt !== undefined) return textOfContent(prompt);
  return textOfContent(Array.isArray(input) && isJson(input.at(-1)) ? contentOf(input.at(-1)) : input);
}
const contentOf = (message: unknown, member = "content"): unknown => (isJson(message) ? message[member] : undefined);

/** The text of content: one text, or those of a list of parts. */
export function textOfContent(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return "";
  return content.flatMap((part: unknown) => textIn(part) ?? []).join("\n");
}
function textIn(part: unknown): string | undefined {
  if (typeof part === "string") return part;
  return isJson(part) && typeof part["text"] === "string" ? part["text"] : undefined;
}
