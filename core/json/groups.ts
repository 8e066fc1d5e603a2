import { isJson, nextTurn } from "#contract";
import type { LongList } from "./scan.ts";

/** What `JSON.parse` makes of a text, or throws; a long list in it is parsed group by group, with a turn for others between them. */
export async function parsedInGroups(text: string, list: LongList | null): Promise<unknown> {
  const name = list && memberBefore(text, list.from);
  if (!list || name === null || text[list.to] !== "]") return JSON.parse(text);
  const around: unknown = JSON.parse(`${text.slice(0, list.from)}[]${text.slice(list.to + 1)}`);
  if (isJson(around)) around[name] = await elementsOf(text, list);
  return around;
}

async function elementsOf(text: string, { from, cuts, to }: LongList): Promise<unknown[]> {
  const elements: unknown[] = [];
  let at = from;
  for (const cut of [...cuts, to]) {
    const group = JSON.parse(`[${text.slice(at + 1, cut)}]`) as unknown[]; // it stands in brackets
    if (group.length === 0) throw new SyntaxError("JSON Parse error: Unexpected comma at the end of array expression");
    for (const element of group) elements.push(element);
    at = cut;
    await nextTurn();
  }
  return elements;
}

/** The name of the member whose value begins here; null where it is no member's. */
function memberBefore(text: string, at: number): string | null {
  const colon = lastVisible(text, at - 1);
  const end = lastVisible(text, colon - 1);
  if (text[colon] !== ":" || text[end] !== '"') return null;
  let begin = end - 1;
  while (begin > 0 && (text[begin] !== '"' || isEscaped(text, begin))) begin -= 1;
  return JSON.parse(text.slice(begin, end + 1)) as string; // it stands in quotes
}
function lastVisible(text: string, from: number): number {
  let at = from;
  while (text.charCodeAt(at) <= SPACE) at -= 1;
  return at;
}
const SPACE = 0x20;
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === "\\") from -= 1;
  return (at - from) % 2 === 1;
}
