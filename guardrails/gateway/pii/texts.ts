import { isJson, type Patch, type Segment } from "#contract";

/** The texts of a piece of content, and the piece with others in their places. */
export interface Texts {
  readonly path: string;
  readonly list: readonly Leaf[];
  patch(texts: readonly string[]): Patch;
}
/** A text, and what the name of the member that holds it says of it: `phone: `. */
export interface Leaf {
  readonly text: string;
  readonly cue: string;
}

export const textsOf = (segment: Segment): Texts => (segment.kind === "tool_call" ? textsOfCall(segment) : textsOfText(segment));

const textsOfText = ({ path, text }: Segment): Texts => ({
  path,
  list: [{ text, cue: "" }],
  patch: ([changed = text]) => ({ path, text: changed }),
});

/** What names of tools are made of. */
const IDENTIFIER = /^[\w.:/-]*$/;
/** Of a call its values, and the names of its members; a number that is replaced becomes a text. Its tool's name stays, if it is one. */
function textsOfCall(segment: Segment): Texts {
  const { path, text } = segment;
  const call: unknown = JSON.parse(text); // as the host writes it: {"name":…,"arguments":…}
  if (!isJson(call)) return textsOfText(segment);
  const { name } = call;
  const isSpoken = typeof name === "string" && !IDENTIFIER.test(name);
  const list: Leaf[] = isSpoken ? [{ text: name, cue: "" }] : [];
  mapped(call["arguments"], (leaf, cue) => {
    list.push({ text: leaf, cue });
    return leaf;
  });
  return {
    path,
    list,
    patch(texts) {
      let next = isSpoken ? 1 : 0;
      const changed = mapped(call["arguments"], (leaf) => texts[next++] ?? leaf);
      return { path, text: JSON.stringify({ ...call, ...(isSpoken && { name: texts[0] ?? name }), arguments: changed }) };
    },
  };
}

type Change = (leaf: string, cue: string) => string;
/** The same value with its texts, numbers and names of members changed; what is not changed keeps its type. */
function mapped(value: unknown, change: Change, cue = ""): unknown {
  if (typeof value === "string") return change(value, cue);
  if (typeof value === "number") return changedNumber(value, change, cue);
  if (Array.isArray(value)) return value.map((item) => mapped(item, change, cue));
  if (!isJson(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [change(name, ""), mapped(member, change, cueOf(name))]));
}
function changedNumber(number: number, change: Change, cue: string): unknown {
  const text = String(number);
  const changed = change(text, cue);
  return changed === text ? number : changed;
}

/** Names of members, and what somebody would write before such a value. A member called `name` may hold anything's. */
const CUES: readonly (readonly [name: RegExp, cue: string])[] = [
  [/ssn|social_?security|socialsec/i, "SSN: "],
  [/(?:^|[_-])(?:phone|tel|telephone|mobile|cell|fax|whatsapp|sms)|phone|mobile_?number/i, "phone: "],
  [/^(?:first|last|full|given|family|middle|maiden|legal|customer|patient|client|employee|applicant|guest|passenger)[_-]?name$/i, "name: "],
];
const MAX_NAME = 40;
const cueOf = (name: string): string => (name.length > MAX_NAME ? "" : (CUES.find(([pattern]) => pattern.test(name))?.[1] ?? ""));
