/**
 * At least as many instructions as the pattern's program will have, found without compiling it: counted repetitions
 * multiply what they stand behind. `Infinity` where a spelling would need a closer look, or is wrong.
 */
export function patternSize(rule: string): number {
  if (UNCLEAR.test(rule)) return Infinity;
  const open: Sum[] = [{ total: 0, last: 0 }];
  for (let at = 0; at < rule.length; ) {
    const here = open.at(-1);
    if (here === undefined) return Infinity;
    const read = READ[rule[at] ?? ""] ?? literal;
    at = read(rule, at, here, open);
  }
  const [whole] = open;
  return open.length === 1 && whole ? whole.total + BESIDES : Infinity;
}

interface Sum {
  total: number;
  /** Of what a repetition would stand behind. */
  last: number;
}
/** Reads what stands at a place, and says where the next thing does: never (Infinity) when this one has no end. */
type Read = (rule: string, at: number, here: Sum, open: Sum[]) => number;

/** Quoted runs and named classes inside classes have rules of their own. */
const UNCLEAR = /\\Q|\[:/;
const BESIDES = 10;
const GROUP = 4;

const literal: Read = (_, at, here) => {
  here.total += 1;
  here.last = 1;
  return at + 1;
};

const READ: Readonly<Record<string, Read>> = {
  "\\": (rule, at, here, open) =>
    literal(rule, /[pPx]/.test(rule[at + 1] ?? "") && rule[at + 2] === "{" ? ending(rule, at, "}", open) - 1 : at + 1, here, open),
  "[": (rule, at, here, open) => literal(rule, classEnd(rule, at, open), here, open),
  "(": (rule, at, _, open) => {
    open.push({ total: 0, last: 0 });
    return at + (rule[at + 1] === "?" ? 2 : 1); // names and flags of a group count as if they were text
  },
  ")": (_, at, inner, open) => {
    open.pop();
    const outer = open.at(-1);
    if (outer) {
      outer.last = inner.total + GROUP;
      outer.total += outer.last;
    }
    return at + 1;
  },
  "{": (rule, at, here, open) => {
    COUNT.lastIndex = at;
    const found = COUNT.exec(rule);
    if (!found) return literal(rule, at, here, open);
    const times = Math.max(Number(found[1]), Number(found[2] ?? 0)) + 1;
    const size = here.last * times * 2; // an optional copy is two instructions
    here.total += size - here.last;
    here.last = size;
    return COUNT.lastIndex;
  },
};
const COUNT = /\{(\d{1,9})(?:,(\d{1,9})?)?\}/y;

/** Where the character is that ends it; when there is none, the whole pattern is wrong. */
function ending(rule: string, at: number, end: string, open: Sum[]): number {
  const found = rule.indexOf(end, at);
  return found < 0 ? wrong(rule, open) : found + 1;
}
function wrong(rule: string, open: Sum[]): number {
  open.push({ total: Infinity, last: Infinity });
  return rule.length;
}

/** The place of a class's last bracket. A bracket that comes first in it is one of its characters. */
function classEnd(rule: string, from: number, open: Sum[]): number {
  let at = from + (rule[from + 1] === "^" ? 2 : 1);
  if (rule[at] === "]") at += 1;
  for (; at < rule.length; at += 1) {
    if (rule[at] === "]") return at;
    if (rule[at] === "\\") at += 1;
  }
  return wrong(rule, open);
}
