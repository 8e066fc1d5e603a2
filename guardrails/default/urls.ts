/** Up to white space, quotes and brackets that no URL holds unencoded. */
const ADDRESS = /https?:\/\/[^\s<>"'`\\^{|}]{1,2000}/gi;
/** A text may say one URL very often, and every time it is read. */
const MAX_READ = 5_000;

/** The http and https URLs in a text, each once; `null` where there are more than so many. */
export function urlsIn(text: string, most: number): readonly string[] | null {
  const found = new Set<string>();
  let read = 0;
  for (const [written] of text.matchAll(ADDRESS)) {
    found.add(withoutEnd(written));
    read += 1;
    if (found.size > most || read > MAX_READ) return null;
  }
  return [...found];
}

/** What stands behind a URL in a sentence. */
const PUNCTUATION: ReadonlySet<string> = new Set(".,;:!?*_~");
const OPENED_BY: Readonly<Record<string, string>> = { ")": "(", "]": "[" };

/** Without the sentence's punctuation, a bracket that was opened before the URL, and a place in the page, of which nobody is asked. */
function withoutEnd(written: string): string {
  const [url = ""] = written.split("#", 1);
  const unopened: Record<string, number> = { ")": surplus(url, ")"), "]": surplus(url, "]") };
  let end = url.length;
  for (; end > 0; end -= 1) {
    const last = url.charAt(end - 1);
    if (PUNCTUATION.has(last)) continue;
    if ((unopened[last] ?? 0) <= 0) break;
    unopened[last] = (unopened[last] ?? 0) - 1;
  }
  return url.slice(0, end);
}
/** How many more of a closing bracket there are than of its opening one. */
const surplus = (url: string, close: string): number => url.split(close).length - url.split(OPENED_BY[close] ?? "").length;
