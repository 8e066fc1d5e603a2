/**
 * What stands for an ordinary character: invisible signs, other forms of letters, digits and separators, and the escapes of
 * addresses, HTML and JSON. Finders read the ordinary ones, so that a value is found however it was dressed up.
 */

/** What no screen shows, and strokes through a letter. */
const INVISIBLE = String.raw`\u00ad\u0332-\u0338\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0`;
const DIGITS = String.raw`\u0660-\u0669\u06f0-\u06f9\u07c0-\u07c9\u0966-\u096f\u09e6-\u09ef\u0a66-\u0a6f\u0ae6-\u0aef\u0b66-\u0b6f\u0be6-\u0bef\u0c66-\u0c6f\u0ce6-\u0cef\u0d66-\u0d6f\u0e50-\u0e59\u0ed0-\u0ed9`;
const SIGNS = String.raw`\u00a0\u00b7\u2000-\u2015\u2022\u2024\u202f\u205f\u2212\u2215\u2236\u3000\u3002\ufe50-\ufe6b\uff01-\uff61`;
const LETTERS = String.raw`\u0370-\u052f\u2460-\u2468\u24b6-\u24ea\ud835\udb40`;
const ESCAPES = String.raw`%[2-7][\da-f]|&(?:#|[a-z]{3,6};)|\\(?:u00|x)[2-7]|[[({][.@:][\])}]`;
/** Anything that may be a disguise. Most texts have none of these, and are read as they stand. */
export const MAY_DISGUISE = new RegExp(`[${INVISIBLE}${DIGITS}${SIGNS}${LETTERS}]|${ESCAPES}`, "i");

/** Characters of the longest disguise. */
export const LONGEST = 10;

/** What a piece of a text stands for, and how many code units it takes. */
interface Ordinary {
  readonly as: string;
  readonly units: number;
}

/** The ordinary characters at a place; `before` is the one in front of it. */
export function ordinaryAt(text: string, at: number, before: string): Ordinary {
  const unit = text.charCodeAt(at);
  if (unit < 0x80) return ASCII_STARTS.has(unit) ? (escapedAt(text, at, before) ?? itself(text, at)) : itself(text, at);
  if (unit < ALPHABETS && !MAY_DISGUISE.test(text.charAt(at))) return itself(text, at);
  const code = text.codePointAt(at) ?? unit;
  const units = code > 0xffff ? 2 : 1;
  return { as: ordinaryOf(code, text.slice(at, at + units), before, text.slice(at + units, at + units + 1)), units };
}
const itself = (text: string, at: number): Ordinary => ({ as: text.charAt(at), units: 1 });

/* ── signs of several characters ─────────────────────────────────────────────────────────────────────────────── */

const ASCII_STARTS: ReadonlySet<number> = new Set(Array.from("%&\\[({", (sign) => sign.charCodeAt(0)));
/** `%40`, `&#64;`, `&#x40;`, `&commat;`, `\u0040`, `\x40`, `[.]`, `(@)`; each has its code, its name or its sign in a group. */
const ESCAPED =
  /%(?<percent>[2-7][\da-f])|&#(?:0{0,4}(?<decimal>\d{2,3})|x0{0,4}(?<hexadecimal>[\da-f]{2}));|&(?<named>[a-z]{3,6});|\\u00(?<unicode>[2-7][\da-f])|\\x(?<short>[2-7][\da-f])|(?:\[(?<square>[.@:])\]|\((?<round>[.@:])\)|\{(?<curly>[.@:])\})(?=[a-z\d])/iy;
const NAMED: Readonly<Record<string, string>> = {
  commat: "@",
  period: ".",
  hyphen: "-",
  dash: "-",
  plus: "+",
  lowbar: "_",
  lpar: "(",
  rpar: ")",
  colon: ":",
  nbsp: " ",
  shy: "",
  zwnj: "",
  zwj: "",
};

function escapedAt(text: string, at: number, before: string): Ordinary | undefined {
  ESCAPED.lastIndex = at;
  const groups = ESCAPED.exec(text)?.groups;
  if (groups === undefined) return undefined;
  const units = ESCAPED.lastIndex - at;
  const { percent, decimal, hexadecimal, named, unicode, short, square, round, curly } = groups;
  const bracketed = square ?? round ?? curly;
  if (bracketed !== undefined) return IN_VALUE.test(before) ? { as: bracketed, units } : undefined;
  if (named !== undefined) return Object.hasOwn(NAMED, named) ? { as: NAMED[named] ?? "", units } : undefined;
  const code = decimal === undefined ? Number.parseInt(percent ?? hexadecimal ?? unicode ?? short ?? "", 16) : Number(decimal);
  const as = String.fromCharCode(code);
  return OF_VALUES.test(as) ? { as, units } : undefined;
}
/** What values are made of: other escapes stay as they are. */
const OF_VALUES = /^[\w@.+:()/ -]$/;
const IN_VALUE = /^[\p{L}\d]$/u;

/* ── signs of one character ──────────────────────────────────────────────────────────────────────────────────── */

const IS_INVISIBLE = new RegExp(`^[${INVISIBLE}]$`);
const SPACE = /^[\u00a0\u2000-\u200a\u202f\u205f\u3000]$/;
/** Where ten digits of a script begin. */
const ZEROS = [0x0660, 0x06f0, 0x07c0, 0x0966, 0x09e6, 0x0a66, 0x0ae6, 0x0b66, 0x0be6, 0x0c66, 0x0ce6, 0x0d66, 0x0e50, 0x0ed0];
/** Letters of other scripts that look like Latin ones. */
const ALIKE: ReadonlyMap<string, string> = new Map(
  "аaеeоoрpсcуyхxіiјjѕsһhԁdԛqԝwАAВBЕEКKМMНHОOРPСCТTХXІIЈJЅSοoαaρpνvΑAΒBΕEΗHΙIΚKΜMΝNΟOΡPΤTΥYΧXΖZ"
    .match(/../gu)
    ?.map(([other = "", latin = ""]) => [other, latin]),
);

function ordinaryOf(code: number, character: string, before: string, behind: string): string {
  if (code >= ALPHABETS && code < ALPHABETS_END)
    return isPlain(before) || isPlain(behind) ? (ALIKE.get(character) ?? character) : character;
  if (IS_INVISIBLE.test(character)) return "";
  if (SPACE.test(character)) return " ";
  if (code >= TAGS && code < TAGS + 0x80) return code === TAGS + 1 || code === TAGS + 0x7f ? "" : String.fromCharCode(code - TAGS);
  return digitOf(code) ?? separatorOf(character, before, behind) ?? (isForm(code) ? asForm(character) : character);
}
function digitOf(code: number): string | undefined {
  const zero = ZEROS.find((first) => code >= first && code < first + 10);
  return zero === undefined ? undefined : String(code - zero);
}
/** Dashes and dots, where they stand between what they part; elsewhere they belong to the sentence. */
function separatorOf(character: string, before: string, behind: string): string | undefined {
  const sign = SEPARATORS.find(({ form }) => form.test(character));
  return sign?.between(before) && sign.between(behind) ? sign.as : undefined;
}
/** Greek and Cyrillic. */
const ALPHABETS = 0x370;
const ALPHABETS_END = 0x530;
/** Tags, which no screen shows and a model reads. */
const TAGS = 0xe0000;
const isDigit = (character: string): boolean => /^[\d\uff10-\uff19]$/.test(character);
const isPlain = (character: string): boolean => /^[A-Za-z\d\uff10-\uff19\uff21-\uff3a\uff41-\uff5a]$/.test(character);

const SEPARATORS: readonly { readonly form: RegExp; readonly as: string; between(sign: string): boolean }[] = [
  { form: /[\u2010\u2011\ufe63\uff0d]/, as: "-", between: isPlain },
  { form: /[\u2012-\u2015\u2212\ufe58]/, as: "-", between: isDigit },
  { form: /[\u2024\u3002\uff0e\uff61\ufe52]/, as: ".", between: isPlain },
  { form: /[\u00b7\u2022]/, as: ".", between: isDigit }, // what people put between the digits of a number
];

/** Wide, bold, round and small forms of ASCII. */
const isForm = (code: number): boolean =>
  (code >= 0xff01 && code <= 0xff5e) ||
  (code >= 0x1d400 && code <= 0x1d7ff) ||
  (code >= 0xfe50 && code <= 0xfe6b) ||
  (code >= 0x2460 && code <= 0x2468) ||
  (code >= 0x24b6 && code <= 0x24ea) ||
  code === 0x2215 ||
  code === 0x2236;
function asForm(character: string): string {
  if (character === "\u2215") return "/";
  if (character === "\u2236") return ":";
  const plain = character.normalize("NFKC");
  return /^[!-~]$/.test(plain) ? plain : character;
}
