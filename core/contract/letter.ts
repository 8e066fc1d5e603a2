/** A line of a letter: a paragraph, or a link with the words to click. Both may hold what users said. */
export type LetterLine = string | { readonly words: string; readonly url: string };
export interface Letter {
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

/** A mail as text and as HTML, of the same lines: names that users chose are neither markup nor headers in it. */
export function letter(subject: string, lines: readonly LetterLine[]): Letter {
  const text = lines.map((line) => (typeof line === "string" ? line : `${line.words}:\n${line.url}`)).join("\n\n");
  const body = lines.map((line) => `<p>${typeof line === "string" ? inHtml(line) : linkOf(line)}</p>`).join("\n");
  return { subject: inOneLine(subject), text: `${text}\n`, html: pageOf(inHtml(inOneLine(subject)), body) };
}

const pageOf = (title: string, body: string): string =>
  `<!doctype html>\n<html lang="en">\n<head><meta charset="utf-8"><title>${title}</title></head>\n<body>\n${body}\n</body>\n</html>\n`;
/** The address is shown too: not every reader lets people click. */
const linkOf = ({ words, url }: { readonly words: string; readonly url: string }): string =>
  `<a href="${inHtml(url)}">${inHtml(words)}</a><br>${inHtml(url)}`;

const ENTITIES: Readonly<Record<string, string>> = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;", "'": "&#39;" };
/** A text of somebody else's, where HTML is expected. */
export const inHtml = (text: string): string => text.replace(/[&<>"']/g, (sign) => ENTITIES[sign] ?? "");

const MAX_SUBJECT = 200;
/** A header is one line: what would begin another is a space. */
export const inOneLine = (text: string): string =>
  text
    .replace(/[\p{Cc}\u2028\u2029]+/gu, " ")
    .trim()
    .slice(0, MAX_SUBJECT)
    .toWellFormed();
