import type { Collected, CollectedChoice, Json, JudgedAnswer, StreamEvent } from "#contract";
import { mediaKind } from "./media-kind.ts";
import { orderedEvents } from "./ordered-events.ts";
import { RESTS, restsIn } from "./told-beside.ts";
import { object, text } from "./wire.ts";

/** What guardrails see of one answer, and may change. */
export interface JudgedChoice {
  readonly text: string;
  readonly refusal: string;
  /** All thoughts together; empty where there are none to see. */
  readonly thoughts: string;
  readonly calls: readonly JudgedCall[];
  /** Addresses of the images that the model made; absent where a form shows none, and all of them stay. */
  readonly images?: readonly string[];
  /** What the text rests on; absent where a form shows none, and all of them stay. */
  readonly citations?: readonly Json[];
  /** What else it rests on, by the names of its members; absent where a form shows none, and all of it stays. */
  readonly rests?: Json;
}
interface JudgedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
}

/** The form in which a dialect shows an answer to guardrails. */
export interface JudgedForm extends Pick<JudgedAnswer, "path"> {
  body(answer: Collected, choices: readonly JudgedChoice[]): Json;
  /** What a body says, by the number of the choice: a choice that is not in it was taken out. */
  choices(body: Json): ReadonlyMap<number, JudgedChoice>;
}

const thoughtsOf = ({ reasoning }: CollectedChoice): string => reasoning.map(({ text }) => text).join("");
const shown = (choice: CollectedChoice): JudgedChoice => ({
  text: choice.text,
  refusal: choice.refusal ?? "",
  thoughts: thoughtsOf(choice),
  calls: choice.tools,
  images: imagesOf(choice),
  citations: citationsOf(choice),
  rests: restsIn(choice.beside ?? NO_MEMBERS) ?? NO_MEMBERS,
});
const NO_MEMBERS: Json = Object.freeze({});
const citationsOf = ({ marks = [] }: CollectedChoice): readonly Json[] =>
  marks.flatMap((mark) => (mark.type === "citation" ? [mark.citation] : []));
const imagesOf = ({ marks = [] }: CollectedChoice): readonly string[] =>
  marks.flatMap((mark) => (mark.type === "media" && mediaKind(mark.url) === "image" ? [mark.url] : []));

/** A streamed answer in the form of a whole one, and the answer again as that was changed. */
export const judgedAs = (form: JudgedForm): JudgedAnswer => ({
  body: (answer) => form.body(answer, choicesOf(answer).map(shown)),
  path: form.path,
  events: (answer, body) => answerEvents(answer, form.choices(body)),
});

const NOTHING: JudgedChoice = { text: "", refusal: "", thoughts: "", calls: [], images: [], citations: [] };
const EMPTY: readonly CollectedChoice[] = [{ text: "", reasoning: [], tools: [] }];
const choicesOf = ({ choices }: Collected): readonly CollectedChoice[] => (choices.length > 0 ? choices : EMPTY);

function answerEvents(answer: Collected, judged: ReadonlyMap<number, JudgedChoice>): readonly StreamEvent[] {
  const { choices: _choices, usage, ...head } = answer;
  const choices = choicesOf(answer);
  return [
    { type: "start", ...head },
    ...choices.flatMap((choice, index) => contentEvents(choice, judged.get(index) ?? NOTHING, index)),
    ...choices.map(finishEvent),
    ...(usage ? [{ type: "usage", usage } as const] : []),
  ];
}
const finishEvent = ({ finish = "stop", native, stopSequence }: CollectedChoice, choice: number): StreamEvent => ({
  type: "finish",
  reason: finish,
  ...(native !== undefined && { native }),
  ...(stopSequence !== undefined && { stopSequence }),
  choice,
});

const contentEvents = (
  choice: CollectedChoice,
  judged: JudgedChoice,
  index: number,
  signatures = signaturesOf(choice),
): readonly StreamEvent[] => [
  ...restingOn(citedAs(keptOf(textEvents(choice, judged, index), judged), judged), judged),
  ...newImages(choice, judged, index),
  ...(judged.refusal === "" ? [] : [{ type: "refusal", text: judged.refusal, choice: index } as const]),
  ...judged.calls.map((call, number) => callEvent(call, number, signatures, index)),
];

/** An image that a guardrail took out is told no more; one that it put in place of another stands behind the text. */
function keptOf(events: readonly StreamEvent[], { images }: JudgedChoice): readonly StreamEvent[] {
  if (images === undefined) return events;
  const shown = new Set(images);
  return events.filter((event) => event.type !== "media" || mediaKind(event.url) !== "image" || shown.has(event.url));
}
/** Each citation in its place, as it was changed. */
function citedAs(events: readonly StreamEvent[], { citations }: JudgedChoice): readonly StreamEvent[] {
  if (citations === undefined) return events;
  let next = 0;
  return events.flatMap((event): readonly StreamEvent[] => {
    if (event.type !== "citation") return [event];
    const citation = citations[next++];
    return citation === undefined ? [] : [{ ...event, citation }];
  });
}
function restingOn(events: readonly StreamEvent[], { rests }: JudgedChoice): readonly StreamEvent[] {
  if (rests === undefined) return events;
  return events.map((event) => (event.type === "beside" ? { ...event, members: { ...withoutRests(event.members), ...rests } } : event));
}
const withoutRests = (members: Json): Json => Object.fromEntries(Object.entries(members).filter(([name]) => !RESTS.includes(name)));
function newImages(choice: CollectedChoice, { images = [] }: JudgedChoice, index: number): readonly StreamEvent[] {
  const before = new Set(images.length === 0 ? images : imagesOf(choice));
  return images.filter((url) => !before.has(url)).map((url) => ({ type: "media", url, choice: index }));
}

/**
 * Text and thoughts. What rests on a text or repeats it (its citations, log probabilities, grounding) goes with the text
 * that was changed; what the model made beside it stays. A changed thought cannot carry the old one's signature.
 */
function textEvents(choice: CollectedChoice, { text, thoughts }: JudgedChoice, index: number): readonly StreamEvent[] {
  const before = orderedEvents(choice, index);
  const isReasoning = ({ type }: StreamEvent): boolean => type === "reasoning";
  const thought: readonly StreamEvent[] = thoughts === "" ? [] : [{ type: "reasoning", text: thoughts, choice: index }];
  const isSameThought = thoughts === thoughtsOf(choice);
  if (text === choice.text) return isSameThought ? before : [...thought, ...before.filter((event) => !isReasoning(event))];
  const texts: readonly StreamEvent[] = text === "" ? [] : [{ type: "text", text, choice: index }];
  return [...(isSameThought ? before.filter(isReasoning) : thought), ...texts, ...before.filter(({ type }) => type === "media")];
}

/** A call is the one whose id it has: others may have been taken out before it. */
function callEvent({ id, name, arguments: args }: JudgedCall, index: number, signatures: Signatures, choice: number): StreamEvent {
  const signature = signatures.get(id);
  return { type: "tool", index, id, name, arguments: args, ...(signature !== undefined && { signature }), choice };
}

type Signatures = ReadonlyMap<string, string | undefined>;
/** By the ids of the calls; of two with one id the first counts. */
const signaturesOf = ({ tools }: CollectedChoice): Signatures =>
  new Map(tools.map(({ id, signature }) => [id, signature] as const).reverse());

/** What a form shows beside the text as items of their own: what a provider's own tools did, images. */
interface Items {
  of(choice: CollectedChoice | undefined): readonly Json[];
  shown(body: Json): readonly Json[];
  readonly types: readonly StreamEvent["type"][];
  eventOf(item: Json): StreamEvent;
}
/** They come as the body has them: in their old places where nothing was changed, else behind the text. */
export const withItems = (judged: JudgedAnswer, { of, shown, types, eventOf }: Items): JudgedAnswer => ({
  ...judged,
  events(answer, body) {
    const events = judged.events(answer, body);
    const [before, after] = [of(answer.choices[0]), shown(body)];
    const hasPlaces = events.filter(({ type }) => types.includes(type)).length === before.length;
    if (hasPlaces && JSON.stringify(after) === JSON.stringify(before)) return events;
    const rest = events.filter(({ type }) => !types.includes(type));
    const end = rest.findIndex(({ type }) => type === "refusal" || type === "tool" || type === "finish");
    return [...rest.slice(0, end), ...after.map(eventOf), ...rest.slice(end)];
  },
});

/** A text member of a body; whatever else stands there says nothing. */
export const stringOf = (value: unknown): string => text(value) ?? "";
/** Arguments as a body has them: as text, or as the value itself. */
export const argumentsOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(object(value)));
