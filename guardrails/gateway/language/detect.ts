import { gramsOf } from "./byte-grams.ts";
import { CODES_OF, INDEX_OF_CODE, SHARED, type Script, type SharedScript, scriptsOf } from "./scripts.ts";
import { LABEL_OF_CODE, LABEL_OF_SCRIPT, LABELS } from "./labels.ts";
import { fitOf } from "./table.ts";
import { betweenTwins, looksArabic } from "./words.ts";
import { withTheirLetters } from "./letters.ts";

export interface Detected {
  /** One of the labels, or a language that is none of them (`bel_Cyrl`), or an unknown one in a script (`und_Geor`); `null` without letters. */
  readonly label: string | null;
  /** 0 to 1. */
  readonly confidence: number;
  /** Is there enough text, and is it no close call? */
  readonly reliable: boolean;
  /** Labels that fit nearly as well, the best among them; of a text that is too short every one that its script is written for. */
  readonly plausible: readonly string[];
  /** Are there so few letters of a script that several languages share that they say nothing? */
  readonly tooShort: boolean;
}

/** Fewer letters than this say nothing: "Hello" has as much of Finnish as of English. */
const LEAST_LETTERS = 12;
/** Fewer letters than this say little. */
const FEW_LETTERS = 20;
/** With fewer, the next language has to be further behind. */
const SEVERAL_LETTERS = 40;
/** A language whose score comes so close to the best one's could be it as well. */
const CLOSE = 0.85;
const NOTHING: Detected = { label: null, confidence: 0, reliable: false, plausible: [], tooShort: false };

/** Which language a text is in: by its script where that says it, else by pieces of its words. */
export function detect(text: string): Detected {
  const { weights, letters } = scriptsOf(text);
  const script = mainScript(weights);
  if (script === null) return NOTHING;
  if (script in SHARED) return detectShared(text, script as SharedScript, letters); // asked in the line itself
  const label = LABEL_OF_SCRIPT[script] ?? `und_${script}`;
  const reliable = script !== "Hani" || letters > 5; // a few Chinese characters may be a Japanese word
  return { label, confidence: reliable ? 1 : 0.5, reliable, plausible: reliable ? [label] : [label, "jpn_Jpan"], tooShort: false };
}

/** The script that most of a text is in. Japanese has Chinese characters too. */
function mainScript(weights: ReadonlyMap<Script, number>): Script | null {
  const [first] = [...weights].sort(([, a], [, b]) => b - a);
  if (first === undefined) return null;
  const [script, weight] = first;
  return script === "Hani" && (weights.get("Kana") ?? 0) * KANA_SHARE > weight ? "Kana" : script;
}
const KANA_SHARE = 10;

/** The language of a script that fits pieces best. */
export interface Best {
  readonly code: string;
  /** Share of the pieces that the language has. */
  readonly known: number;
  /** How far the next language is behind it, 0 to 1. */
  readonly lead: number;
  /** Languages that come close, itself the first. */
  readonly close: readonly string[];
}

/** Which of these languages fits pieces best; without a code when none has any of them. */
export function bestOf(grams: ReadonlySet<number>, script: SharedScript, codes: readonly string[] = CODES_OF[script]): Best {
  const { scores, found, pieces } = fitOf(grams);
  const ranked = codes.map((code) => ({ code, score: scores[INDEX_OF_CODE.get(code) ?? 0] ?? 0 })).sort((a, b) => b.score - a.score);
  const [best, second] = ranked;
  if (best === undefined || best.score === 0) return { code: "", known: 0, lead: 0, close: [] };
  const close = ranked.filter(({ score }) => score >= best.score * CLOSE).map(({ code }) => code);
  return {
    code: best.code,
    known: (found[INDEX_OF_CODE.get(best.code) ?? 0] ?? 0) / pieces,
    lead: 1 - (second?.score ?? 0) / best.score,
    close,
  };
}

/** By pieces of words. */
function detectShared(text: string, script: SharedScript, letters: number): Detected {
  if (script === "Latn" && looksArabic(text))
    return { label: "arb_Latn", confidence: 0.8, reliable: true, plausible: ["arb_Latn"], tooShort: false };
  const { code, known, lead, close } = bestOf(gramsOf(text), script, withTheirLetters(CODES_OF[script], text));
  const tooShort = letters < LEAST_LETTERS;
  const writtenSo = tooShort ? LABELS.filter((each) => each.endsWith(script)) : undefined;
  if (code === "") return { label: `und_${script}`, confidence: 0, reliable: false, plausible: writtenSo ?? [], tooShort };
  const confidence = Math.min(1, letters / FEW_LETTERS) * Math.min(1, known / WELL_KNOWN) * Math.min(1, 0.5 + lead * 5);
  return {
    label: labelOf(code, text),
    confidence: Math.round(confidence * 100) / 100,
    reliable: letters >= FEW_LETTERS && known >= HARDLY_KNOWN && lead >= (letters < SEVERAL_LETTERS ? CLOSE_CALL_OF_FEW : CLOSE_CALL),
    plausible: writtenSo ?? close.map((each) => labelOf(each, text)),
    tooShort,
  };
}
/** Shares of pieces that a language has of a text in it, usually and at least. */
const WELL_KNOWN = 0.6;
const HARDLY_KNOWN = 0.3;
/** A smaller lead is a close call. */
const CLOSE_CALL = 0.02;
const CLOSE_CALL_OF_FEW = 0.1;

function labelOf(code: string, text: string): string {
  if (code === "ms") return betweenTwins(text, "ind_Latn", "msa_Latn");
  if (code === "da") return betweenTwins(text, "dan_Latn", "nor_Latn");
  if (code === "no") return betweenTwins(text, "nor_Latn", "dan_Latn");
  return LABEL_OF_CODE[code] ?? code;
}
