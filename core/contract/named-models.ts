import { isJson, type Json } from "./json.ts";

/*
 * Where a body names models besides its member `model`. Servers that read names without case take the last of two that
 * differ in nothing else, so that all of them count.
 */

/** As those read it who fold letters: the long s is one, too. */
const NAMES_MODEL = /^models?$/iu;
const MOST_NAME = 32;

/** What a member holds that names models of its own: the members to look into, in capitals. A list is each of its items. */
interface Places {
  readonly [member: string]: Places;
}
const MODEL_ONLY: Places = {};
const SESSION: Places = {
  TOOLS: MODEL_ONLY,
  AUDIO: { INPUT: { TRANSCRIPTION: MODEL_ONLY } },
  INPUT_AUDIO_TRANSCRIPTION: MODEL_ONLY,
};
const PLACES: Places = {
  ...SESSION,
  SESSION,
  RUN: { TOOLS: MODEL_ONLY },
  PLUGINS: MODEL_ONLY,
  FALLBACKS: MODEL_ONLY,
  DATA_SOURCE: MODEL_ONLY,
  REQUESTS: { PARAMS: MODEL_ONLY },
};

/** The models that a body names in all of these places; that of the body's own `model` is not among them, where it is a text. */
export function namedModels(body: Json): readonly string[] {
  const found: string[] = [];
  collect(body, PLACES, found, typeof body["model"] === "string" ? "model" : undefined);
  return found;
}

function collect(of: Json, places: Places, found: string[], except?: string): void {
  for (const [member, value] of Object.entries(of)) {
    if (member.length > MOST_NAME || member === except) continue;
    if (NAMES_MODEL.test(member)) found.push(...textsOf(value));
    const inner = places[member.toUpperCase()];
    if (inner) for (const each of itemsOf(value)) if (isJson(each)) collect(each, inner, found);
  }
}
const itemsOf = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : [value]);
const textsOf = (value: unknown): readonly string[] => itemsOf(value).filter((each) => typeof each === "string");
