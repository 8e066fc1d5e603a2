import type { Json, StreamEvent } from "#contract";
import { at, type Found } from "../content/found.ts";
import { readLeaves } from "../content/leaves.ts";
import { isSame, isSameJson, ToldTexts } from "../content/told.ts";
import { entry, object, objects, text } from "../content/wire.ts";
import { type CallNumbers, customPiece } from "./read-items.ts";

type Events = readonly StreamEvent[];
type Kind = "text" | "refusal" | "summary" | "thought" | "arguments" | "input";
/** A text of an item: what it is, of which item, and the number of its part. */
interface Telling {
  readonly kind: Kind;
  readonly item: unknown;
  readonly part?: unknown;
  readonly text: unknown;
}
const NOTHING: Events = [];
const placeOf = ({ kind, item, part = 0 }: Telling): string => `${kind} ${Number(item)} ${Number(part)}`;

/**
 * What a stream has told of a response. It tells each text up to five times: in pieces, when they end, when the part ends,
 * when the item ends, and when the response does. Whoever judges it is told every telling that differs.
 */
export class StreamedResponse {
  private readonly texts = new ToldTexts();
  /** Texts that an item brought when it began; some tell them in pieces afterwards. */
  private readonly begun = new Map<string, Telling>();
  /** Items of the provider's own tools. */
  private readonly own = new Map<unknown, Json>();
  /** Pieces that belong to those, by the event and the item. */
  private readonly beside = new ToldTexts();

  constructor(private readonly calls: CallNumbers) {}

  /** What the event says beyond what was told before it. */
  newIn(event: Json): Events {
    const { type, output_index: item, content_index, summary_index: part } = event;
    const reader = entry(EVENTS, type);
    if (reader !== undefined) return this[reader.does](reader.of(event, item, content_index ?? part));
    return entry(WHOLE, type)?.(event, this) ?? this.other(String(type), event);
  }

  piece(telling: Telling): Events {
    if (typeof telling.text === "string") this.texts.add(placeOf(telling), telling.text);
    return NOTHING;
  }
  again(telling: Telling): Events {
    const { kind, text: repeated } = telling;
    if (typeof repeated !== "string") return NOTHING;
    const place = placeOf(telling);
    const begun = this.begun.get(place)?.text;
    if (this.texts.at(place) === "" && repeated === begun && kind !== "arguments" && kind !== "input") return NOTHING;
    if (kind === "arguments" && isSameJson(repeated, this.texts.at(place))) return NOTHING;
    return this.pieceEvents(telling, this.texts.untold(place, repeated));
  }
  /** Of an item that begins, or that is there when the response begins. */
  begins(item: Json, index: unknown): Events {
    if (isOwn(item)) return this.beginsOwn(item, index);
    return tellingsOf(item, index).flatMap((telling) => this.beginsWith(telling));
  }
  beginsWith(telling: Telling): Events {
    const place = placeOf(telling);
    if (!text(telling.text) || this.begun.get(place)?.text === telling.text) return NOTHING;
    this.begun.set(place, telling);
    return telling.kind === "arguments" || telling.kind === "input" ? NOTHING : this.pieceEvents(telling, String(telling.text));
  }
  ends(item: Json, index: unknown): Events {
    if (!isOwn(item)) return [...tellingsOf(item, index).flatMap((telling) => this.again(telling)), ...this.endsBegun(index)];
    this.own.set(item.id ?? index, item);
    return NOTHING; // its reader tells it
  }
  /** The last event says all items once more. Some leave items out, so that others have other numbers. */
  endsAll({ output, output_text: all }: Json): Events {
    const earlierTexts = this.texts.all();
    const tellings = objects(output).flatMap((item, index) => tellingsOf(item, index));
    const texts = tellings.flatMap((telling) => (earlierTexts.has(String(telling.text).trim()) ? NOTHING : this.again(telling)));
    const before = new Set([...this.own.values()].map((item) => JSON.stringify(item)));
    const blocks = objects(output).filter((item) => isOwn(item) && !before.has(JSON.stringify(item)));
    const joined = tellings.flatMap((telling) => (telling.kind === "text" ? String(telling.text) : []));
    const whole: Events = typeof all === "string" && !isSame(all, joined.join("")) ? [{ type: "text", text: all, begins: true }] : NOTHING;
    return [...texts, ...blocks.map((block) => ({ type: "block", block }) as const), ...whole, ...this.besideOwn()];
  }

  private pieceEvents({ kind, item }: Telling, piece: string): Events {
    if (piece === "") return NOTHING;
    if (kind === "text") return [{ type: "text", text: piece, begins: true }];
    if (kind === "refusal") return [{ type: "refusal", text: piece }];
    if (kind === "summary" || kind === "thought") return [{ type: "reasoning", text: piece }];
    return this.calls.argument(kind === "input" ? customPiece(piece) : piece, Number(item));
  }
  /** Arguments that stood in the beginning of a call, and in no piece of it. */
  private endsBegun(index: unknown): Events {
    return (["arguments", "input"] as const).flatMap((kind) => {
      const telling = this.begun.get(placeOf({ kind, item: index, text: "" }));
      return telling === undefined ? NOTHING : this.again(telling);
    });
  }
  private beginsOwn(item: Json, index: unknown): Events {
    const found: Found = [];
    readLeaves(item, at("", "assistant", 0), found, (name) => NAMES.has(name));
    for (const { path, text: leaf } of found) this.beside.untold(`${String(index)} ${path}`, leaf);
    return NOTHING;
  }
  private other(type: string, { item_id, output_index, delta, ...event }: Json): Events {
    const of = `${type} ${String(item_id ?? output_index)}`;
    if (typeof delta === "string") this.beside.add(of, delta);
    else if (type.endsWith(".done"))
      for (const name of SAYS) if (typeof event[name] === "string") this.beside.add(`${of} ${name}`, event[name]);
    return NOTHING;
  }
  /** What was told of the provider's tools, and stands in none of their items. */
  private besideOwn(): Events {
    const pieces = [...this.beside.all()].filter((piece) => piece !== "");
    const items = pieces.length === 0 ? "" : JSON.stringify([...this.own.values()]);
    const isSearched = pieces.length * items.length < MOST_SEARCHED;
    return pieces
      .filter((piece) => !(isSearched && items.includes(JSON.stringify(piece).slice(1, -1))))
      .map((piece) => ({ type: "block", block: { type: "text", text: piece } }));
  }
}
/** Characters that are searched for what was told beside items; beyond it all that was told is judged once more. */
const MOST_SEARCHED = 20_000_000;
/** Members of an item that name and do not say. */
const NAMES: ReadonlySet<string> = new Set(["id", "type", "status", "call_id", "role"]);
/** Members in which the end of a piece says all of it. */
const SAYS = ["text", "arguments", "code", "input"] as const;

const isOwn = ({ type }: Json): boolean => typeof type === "string" && !SPOKEN.has(type);
const SPOKEN: ReadonlySet<string> = new Set(["message", "reasoning", "function_call", "custom_tool_call"]);

function tellingsOf({ type, content, summary, arguments: args, input }: Json, item: unknown): readonly Telling[] {
  if (type === "function_call") return [{ kind: "arguments", item, text: args }];
  if (type === "custom_tool_call") return [{ kind: "input", item, text: input }];
  if (type === "reasoning")
    return [
      ...objects(summary).map((content, part) => ({ kind: "summary", item, part, text: content.text }) as const),
      ...objects(content).map((thought, part) => ({ kind: "thought", item, part, text: thought.text }) as const),
    ];
  if (type === "message" && typeof content === "string") return [{ kind: "text", item, text: content }];
  return type === "message" ? objects(content).map((content, part) => tellingOf(content, item, part)) : [];
}
const tellingOf = (content: Json, item: unknown, part: unknown): Telling =>
  content.type === "refusal"
    ? { kind: "refusal", item, part, text: content.refusal }
    : { kind: entry(KINDS, content.type) ?? "text", item, part, text: content.text };
const KINDS: Readonly<Record<string, Kind>> = { summary_text: "summary", reasoning_text: "thought" };

/** Events with a text of an item. */
type Of = (event: Json, item: unknown, part: unknown) => Telling;
const member =
  (kind: Kind, name: string): Of =>
  (event, item, part) => ({ kind, item, part, text: event[name] });
const pieces = (kind: Kind) => ({ does: "piece", of: member(kind, "delta") }) as const;
const again = (kind: Kind, name: string) => ({ does: "again", of: member(kind, name) }) as const;
const partAgain = (kind: Kind) =>
  ({ does: "again", of: ((event, item, part) => ({ kind, item, part, text: object(event.part).text })) as Of }) as const;
const EVENTS: Readonly<Record<string, { readonly does: "piece" | "again"; readonly of: Of }>> = {
  "response.output_text.delta": pieces("text"),
  "response.output_text.done": again("text", "text"),
  "response.refusal.delta": pieces("refusal"),
  "response.refusal.done": again("refusal", "refusal"),
  "response.content_part.done": { does: "again", of: ({ part: content }, item, part) => tellingOf(object(content), item, part) },
  "response.reasoning_summary_text.delta": pieces("summary"),
  "response.reasoning_summary_text.done": again("summary", "text"),
  "response.reasoning_summary_part.done": partAgain("summary"),
  "response.reasoning_text.delta": pieces("thought"),
  "response.reasoning_text.done": again("thought", "text"),
  "response.function_call_arguments.delta": pieces("arguments"),
  "response.function_call_arguments.done": again("arguments", "arguments"),
  "response.custom_tool_call_input.delta": pieces("input"),
  "response.custom_tool_call_input.done": again("input", "input"),
};

/** Events with an item, a part that begins, or a whole response. */
type Whole = (event: Json, earlier: StreamedResponse) => Events;
const begins: Whole = ({ response }, earlier) => objects(object(response).output).flatMap((item, index) => earlier.begins(item, index));
const ends: Whole = ({ response }, earlier) => earlier.endsAll(object(response));
const WHOLE: Readonly<Record<string, Whole>> = {
  "response.created": begins,
  "response.in_progress": begins,
  "response.queued": begins,
  "response.output_item.added": ({ item, output_index }, earlier) => earlier.begins(object(item), output_index),
  "response.content_part.added": ({ part, output_index, content_index }, earlier) =>
    earlier.beginsWith(tellingOf(object(part), output_index, content_index)),
  "response.output_item.done": ({ item, output_index }, earlier) => earlier.ends(object(item), output_index),
  "response.completed": ends,
  "response.incomplete": ends,
};
