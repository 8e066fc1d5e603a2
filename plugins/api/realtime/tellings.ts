import { isDeepStrictEqual } from "node:util";
import { isJson, type Json } from "#contract";
import { object, objects } from "../content/wire.ts";
import { AUDIO } from "./events.ts";

/** Members in which an event, or a part of an item, has a text. */
export const TEXTS = ["text", "transcript", "arguments", "refusal"] as const;
export type TextMember = (typeof TEXTS)[number];

/** A text of an answer, and where it belongs; a call has one part. */
export interface Telling {
  readonly item: string;
  readonly part: number;
  readonly member: TextMember;
  text: string;
}
type Place = Pick<Telling, "item" | "part">;
export const nameOf = ({ item, part }: Place): string => `${item} ${part}`;
export const placeOf = ({ item_id: item, content_index: part }: Json): Place => ({ item: String(item), part: Number(part ?? 0) });

/** The text that an event adds to. Of a kind that nobody knows, it is a text all the same. */
export function pieceIn({ type, delta, ...event }: Json): Telling | undefined {
  const name = String(type);
  if (typeof delta !== "string" || !name.startsWith("response.") || AUDIO.has(type)) return undefined;
  const member = TEXTS.find((candidate) => candidate !== "text" && name.includes(candidate)) ?? "text";
  return { ...placeOf(event), member, text: delta };
}

/** Texts that an event tells as a whole: when their pieces end, in a part, in an item. */
export function wholesIn(event: Json): readonly Telling[] {
  const place = placeOf(event);
  const isOfAnswer = String(event["type"]).startsWith("response.");
  return [
    ...(isOfAnswer ? textsIn(event, place) : []),
    ...textsIn(object(event["part"]), place),
    ...itemsIn(event).flatMap(({ id, content }) =>
      Array.isArray(content) ? content.flatMap((part: unknown, index) => textsIn(object(part), { item: String(id), part: index })) : [],
    ),
  ];
}
function textsIn(of: Json, place: Place): readonly Telling[] {
  return TEXTS.flatMap((member) => {
    const text = of[member];
    return typeof text === "string" && text !== "" ? [{ ...place, member, text }] : [];
  });
}

/** Items that an event tells: one, or those of its response. */
export const itemsIn = ({ item, response }: Json): readonly Json[] => [
  ...(isJson(item) ? [item] : []),
  ...objects(object(response)["output"]),
];

/** The ids of all that it tells of. */
export const itemIds = (event: Json): readonly string[] => {
  const ids = [event["item_id"], ...itemsIn(event).map(({ id }) => id)];
  return ids.filter((id) => typeof id === "string");
};

/** Every text of an answer that its events tell, once for each way it is told. */
export function tellingsOf(events: readonly Json[]): readonly Telling[] {
  const joined = new Map<string, Telling>();
  const wholes: Telling[] = [];
  for (const event of events) {
    const piece = pieceIn(event);
    if (piece === undefined) wholes.push(...wholesIn(event));
    else join(piece, joined);
  }
  const told = new Map([...joined.values(), ...wholes].reverse().map((telling) => [`${keyOf(telling)} ${telling.text.trim()}`, telling]));
  return [...told.values()].reverse();
}
const keyOf = (telling: Telling): string => `${nameOf(telling)} ${telling.member}`;
function join(piece: Telling, joined: Map<string, Telling>): void {
  const before = joined.get(keyOf(piece));
  if (before) before.text += piece.text;
  else joined.set(keyOf(piece), piece);
}

/** Members of an item that name and do not say. */
const WORDS: ReadonlySet<string> = new Set(["id", "type", "object", "status", "role", "call_id", "phase"]);
/** Do others of the same id say, beside their parts, all that this item says? */
export function isRepeated({ content, ...item }: Json, others: readonly Json[]): boolean {
  const says = Object.entries(Array.isArray(content) ? item : { ...item, content }).filter(
    ([name, value]) => !(WORDS.has(name) || value === "" || value === null || value === undefined),
  );
  return says.every(([name, value]) => others.some((other) => isDeepStrictEqual(other[name], value)));
}
