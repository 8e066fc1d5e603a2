import type { Json } from "#contract";
import { object, text } from "../../content/wire.ts";

/** What OpenAI's clients know as annotations. */
const KNOWN: ReadonlySet<unknown> = new Set(["url_citation", "file_citation", "container_file_citation", "file_path"]);

/**
 * A citation in a provider's words, as an annotation of a text of so many characters. One that names no page is told only
 * to clients that do not insist on OpenAI's form.
 */
export function annotationOf(citation: Json, length: number, strict: boolean): Json | undefined {
  const { type, url, title } = citation;
  if (KNOWN.has(type)) return { ...citation, ...object(citation[String(type)]), type };
  const address = text(url);
  if (address === undefined) return strict ? undefined : citation;
  return { type: "url_citation", url: address, title: text(title) ?? address, start_index: 0, end_index: length };
}
