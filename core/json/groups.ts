import { type Json, nextTurn } from "#contract";
import { LongText } from "./long-text.ts";
import type { LongValue } from "./scan.ts";
import { utf8 } from "./utf8.ts";
import { takesLong } from "./work.ts";

/**
 * What `JSON.parse` makes of a long text, or throws. Lists and objects in it are parsed group by group and long texts
 * part by part, with a turn for others between them: no piece of it is long, whatever the whole is.
 */
export async function parsedInGroups(bytes: Uint8Array, values: readonly LongValue[], part?: number): Promise<unknown> {
  const [value] = values;
  const around: unknown = JSON.parse(skeleton(bytes, { from: -1, to: bytes.length }, values));
  if (value === undefined || around !== PLACE) return around;
  return new Grouped(bytes, part).value(value);
}

interface Span {
  readonly from: number;
  readonly to: number;
}

/** Stands for a long value while what is around it is parsed; nobody outside this process can know it. */
const PLACE = crypto.randomUUID();

/** The text between two places, with PLACE for each long value in it. */
function skeleton(bytes: Uint8Array, { from, to }: Span, values: readonly LongValue[]): string {
  let text = "";
  let at = from + 1;
  for (const value of values) {
    text += `${short(bytes, at, value.from)}"${PLACE}"`;
    at = value.to + 1;
  }
  return text + short(bytes, at, to);
}

/** What is longer between two cuts is white space, or a name that no API has. */
const MOST_BETWEEN = 4 * 1024 * 1024;
function short(bytes: Uint8Array, from: number, to: number): string {
  if (to - from > MOST_BETWEEN) throw takesLong(MOST_BETWEEN, "characters between two values");
  return utf8(bytes, from, to);
}

const BRACKET = "]".charCodeAt(0);
const BRACE = "}".charCodeAt(0);

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
      const group = JSON.parse(`[${text}]`) as unknown[]; // it stands in brackets
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
      const group = JSON.parse(`{${text}}`) as Json; // it stands in braces
      const names = Object.keys(group);
      if (names.length === 0 && object.cuts.length > 0) throw noElement();
      for (const name of names) setOwn(members, name, last && group[name] === PLACE ? await this.value(last) : group[name]);
      await nextTurn();
    }
    return members;
  }
  /** What stands between two cuts, and the long value at its end if there is one. */
  private *groups({ from, cuts, to, within }: LongValue): Generator<{ readonly text: string; readonly last: LongValue | undefined }> {
    let at = from;
    let next = 0;
    for (const cut of [...cuts, to]) {
      const value = within[next];
      const last = value && value.to < cut ? value : undefined;
      yield { text: skeleton(this.bytes, { from: at, to: cut }, last ? [last] : []), last };
      if (last) next += 1;
      at = cut;
    }
  }
}
const noElement = (): SyntaxError => new SyntaxError("JSON Parse error: Unexpected comma");

/** A member of any name: `__proto__` is one too, as it is for the parser. */
function setOwn(object: Json, name: string, value: unknown): void {
  if (name === "__proto__") Object.defineProperty(object, name, { value, writable: true, enumerable: true, configurable: true });
  else object[name] = value;
}
