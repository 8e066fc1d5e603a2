import { type Json, nextTurn } from "#contract";
import { LongText } from "./long-text.ts";
import { utf8 } from "./utf8.ts";
import { takesLong } from "./work.ts";
import type { LongValue } from "./scanned.ts";

/**
 * What `JSON.parse` makes of a long text, or throws. Lists and objects in it are parsed group by group and long texts
 * part by part, with a turn for others between them: no piece of it is long, whatever the whole is.
 */
export async function parsedInGroups(bytes: Uint8Array, values: readonly LongValue[], part?: number): Promise<unknown> {
  const [value, another] = values;
  if (value === undefined) return JSON.parse(short(bytes, 0, bytes.length));
  expectBlank(short(bytes, 0, value.from) + short(bytes, value.to + 1, another?.from ?? bytes.length));
  if (another) throw new SyntaxError("JSON Parse error: Unexpected content behind the value");
  return new Grouped(bytes, part).value(value);
}

/** What is longer between two cuts is white space, or a name that no API has. */
const MOST_BETWEEN = 4 * 1024 * 1024;
function short(bytes: Uint8Array, from: number, to: number): string {
  if (to - from > MOST_BETWEEN) throw takesLong(MOST_BETWEEN, "characters between two values");
  return utf8(bytes, from, to);
}

/** Only white space may stand between a long value and what ends it: where it stands as the name of a member, a colon does. */
function expectBlank(text: string): void {
  if (!/^[ \t\r\n]*$/.test(text)) throw new SyntaxError("JSON Parse error: Unexpected content beside a value");
}

const BRACKET = "]".charCodeAt(0);
const BRACE = "}".charCodeAt(0);

/** What stands between two cuts: JSON up to a long value, or up to its end. */
interface Group {
  readonly text: string;
  /** The long value behind it. */
  readonly last: LongValue | undefined;
}

class Grouped {
  constructor(
    private readonly bytes: Uint8Array,
    private readonly part: number | undefined,
  ) {}

  async value(value: LongValue): Promise<unknown> {
    await nextTurn();
    if (value.kind === "text") return new LongText(this.bytes, value.from + 1, value.to, this.part).parsed();
    if (this.bytes[value.to] !== (value.kind === "list" ? BRACKET : BRACE)) throw new SyntaxError("JSON Parse error: Unexpected bracket");
    return value.kind === "list" ? this.list(value) : this.object(value);
  }
  private async list(list: LongValue): Promise<unknown[]> {
    const elements: unknown[] = [];
    for (const { text, last } of this.groups(list)) {
      const group = JSON.parse(`[${text}${last ? "null" : ""}]`) as unknown[]; // it stands in brackets
      if (group.length === 0 && list.cuts.length > 0) throw noElement();
      if (last) group[group.length - 1] = await this.value(last);
      for (const element of group) elements.push(element);
      await nextTurn();
    }
    return elements;
  }
  private async object(object: LongValue): Promise<Json> {
    const members: Json = {};
    for (const { text, last } of this.groups(object)) {
      const group = JSON.parse(`{${text}${last ? "null" : ""}}`) as Json; // it stands in braces
      const names = Object.keys(group);
      if (names.length === 0 && object.cuts.length > 0) throw noElement();
      const lastName = last && nameBefore(text);
      for (const name of names) setOwn(members, name, last && name === lastName ? await this.value(last) : group[name]);
      await nextTurn();
    }
    return members;
  }
  private *groups({ from, cuts, to, inner }: LongValue): Generator<Group> {
    let at = from + 1;
    let next = 0;
    for (const cut of [...cuts, to]) {
      const value = inner[next];
      const last = value && value.to < cut ? value : undefined;
      if (last) expectBlank(short(this.bytes, last.to + 1, cut));
      yield { text: short(this.bytes, at, last?.from ?? cut), last };
      if (last) next += 1;
      at = cut + 1;
    }
  }
}
const noElement = (): SyntaxError => new SyntaxError("JSON Parse error: Unexpected comma");

/** The name of the member whose value would begin behind this text, which ends with a name and a colon. */
function nameBefore(text: string): string {
  const end = text.lastIndexOf('"');
  let begin = end - 1;
  while (text[begin] !== '"' || isEscaped(text, begin)) begin -= 1;
  return JSON.parse(text.slice(begin, end + 1)) as string; // it stands in quotes
}
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === "\\") from -= 1;
  return (at - from) % 2 === 1;
}

/** A member of any name: `__proto__` is one too, as it is for the parser. */
function setOwn(object: Json, name: string, value: unknown): void {
  if (name === "__proto__") Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else object[name] = value;
}
