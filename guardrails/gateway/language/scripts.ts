/** Scripts that several languages share, with those that the table tells apart, by their two-letter codes. */
export const SHARED = {
  Latn: "az ca cs da de en es et eu fi fr hr hu is it lt lv ms nl no pl pt ro sk sl sq sv tl tr vi yo",
  Cyrl: "be bg ru sr uk",
  Arab: "ar fa ku ur",
  Deva: "hi mr",
} as const;
export type SharedScript = keyof typeof SHARED;

/** Codes of the languages of each. */
export const CODES_OF: Readonly<Record<SharedScript, readonly string[]>> = {
  Latn: SHARED.Latn.split(" "),
  Cyrl: SHARED.Cyrl.split(" "),
  Arab: SHARED.Arab.split(" "),
  Deva: SHARED.Deva.split(" "),
};

/** Every code of the table; a language's number in it is its place here. */
export const CODES = Object.values(CODES_OF).flat();
export const INDEX_OF_CODE: ReadonlyMap<string, number> = new Map(CODES.map((code, index) => [code, index]));

// biome-ignore format: a table
/** First and last code unit of each script's block; what a language does not share with another says which it is. */
const BLOCKS = [
  [0x0041, 0x024f, "Latn"], [0x0370, 0x03ff, "Grek"], [0x0400, 0x052f, "Cyrl"], [0x0531, 0x058f, "Armn"], [0x0590, 0x05ff, "Hebr"],
  [0x0600, 0x077f, "Arab"], [0x0900, 0x097f, "Deva"], [0x0980, 0x09ff, "Beng"], [0x0a00, 0x0a7f, "Guru"], [0x0a80, 0x0aff, "Gujr"],
  [0x0b00, 0x0b7f, "Orya"], [0x0b80, 0x0bff, "Taml"], [0x0c00, 0x0c7f, "Telu"], [0x0c80, 0x0cff, "Knda"], [0x0d00, 0x0d7f, "Mlym"],
  [0x0d80, 0x0dff, "Sinh"], [0x0e00, 0x0e7f, "Thai"], [0x0e80, 0x0eff, "Laoo"], [0x0f00, 0x0fff, "Tibt"], [0x1000, 0x109f, "Mymr"],
  [0x10a0, 0x10ff, "Geor"], [0x1100, 0x11ff, "Hang"], [0x1200, 0x137f, "Ethi"], [0x1780, 0x17ff, "Khmr"], [0x1e00, 0x1eff, "Latn"],
  [0x1f00, 0x1fff, "Grek"], [0x3040, 0x30ff, "Kana"], [0x3400, 0x4dbf, "Hani"], [0x4e00, 0x9fff, "Hani"], [0xac00, 0xd7af, "Hang"],
  [0xfb50, 0xfdff, "Arab"], [0xfe70, 0xfeff, "Arab"], [0xff66, 0xff9f, "Kana"],
] as const;
type Block = (typeof BLOCKS)[number];
export type Script = Block[2];

/** A character of these says as much as several letters of an alphabet. */
const WEIGHT: Readonly<Partial<Record<Script, number>>> = { Hani: 3, Kana: 2, Hang: 3 };

/** How much of a text each script has, and its letters. */
export interface ScriptCounts {
  readonly weights: ReadonlyMap<Script, number>;
  readonly letters: number;
}

/** Counts letters by their script. */
export function scriptsOf(text: string): ScriptCounts {
  const weights = new Map<Script, number>();
  let letters = 0;
  let block: Block | undefined; // of the letter before: the next one is mostly in it too
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at);
    if (!isLetter(unit)) continue;
    if (block === undefined || unit < block[0] || unit > block[1]) block = BLOCKS.find(([first, last]) => unit >= first && unit <= last);
    if (block === undefined) continue;
    const script = block[2];
    letters += 1;
    weights.set(script, (weights.get(script) ?? 0) + (WEIGHT[script] ?? 1));
  }
  return { weights, letters };
}

/** Signs of the first two blocks are none. */
function isLetter(unit: number): boolean {
  if (unit < 0x80) return (unit | 0x20) >= 0x61 && (unit | 0x20) <= 0x7a;
  return unit >= 0xc0 && unit !== 0xd7 && unit !== 0xf7;
}
