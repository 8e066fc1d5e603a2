import type { Json } from "#contract";
import { isOutputItem } from "../content/output-item.ts";
import { text } from "../content/wire.ts";

/* What a provider with a Responses API says beside its text, in Anthropic's words: clients refuse blocks and citations that they do not know. */

/** A block as this form has it; nothing of items that only the Responses API has. */
export const ownBlock = (block: Json): Json | undefined => (isOutputItem(block) ? undefined : block);

/** The same of a citation. A page has its counterpart here; a file, which its provider keeps, has none. */
export function ownCitation(citation: Json): Json | undefined {
  const { type, url, title } = citation;
  if (type === "url_citation")
    return { type: "web_search_result_location", url, title: text(title) ?? null, cited_text: "", encrypted_index: "" };
  return OF_FILES.has(type) ? undefined : citation;
}
const OF_FILES: ReadonlySet<unknown> = new Set(["file_citation", "container_file_citation", "file_path"]);
