import { isDeepStrictEqual } from "node:util";
import { isJson, type Json } from "#contract";
import { object } from "../content/wire.ts";
import { AUDIO, DONE } from "./events.ts";
import { nameOf, pieceIn, placeOf, TEXTS } from "./tellings.ts";
import { besideItems, outputOf } from "./whole.ts";

/** Place (item and part) -> the part, or the call, that guardrails made of it. */
type Changes = Map<string, Json>;
const GONE: Json = {};
const partsOf = (item: Json): readonly unknown[] => (Array.isArray(item["content"]) ? (item["content"] as readonly unknown[]) : [item]);

/** Of a place that was told in several ways all of them become one: the first that was changed. */
function changesOf(messages: readonly Json[], before: Json, after: Json): Changes {
  const changes: Changes = new Map();
  const beside = besideItems(messages);
  const [items, left] = [outputOf(before), outputOf(after)];
  const own = items.length - beside.length;
  items.forEach((item, index) => {
    if (!isJson(item)) return;
    const now = left.length === items.length ? object(left[index]) : asLeft(item, left);
    if (now !== item) addChanged(changes, item, now, beside[index - own]?.place);
  });
  return changes;
}
/** Where items were taken out or put in: one that is not there as it was has gone. */
const asLeft = (item: Json, left: readonly unknown[]): Json => (left.some((other) => isDeepStrictEqual(other, item)) ? item : GONE);

function addChanged(changes: Changes, item: Json, now: Json, place: string | undefined): void {
  const parts = now === GONE ? [] : partsOf(now);
  partsOf(item).forEach((part, index) => {
    const changed = object(parts[index]);
    const name = place ?? nameOf({ item: String(item["id"]), part: index });
    if (!changes.has(name) && !isDeepStrictEqual(changed, part)) changes.set(name, changed);
  });
}

/**
 * The events of a response as guardrails changed its texts: the first piece brings the whole of a changed text, whatever began
 * with some of it begins without, and its sound is left out.
 */
export function rewritten(messages: readonly Json[], before: Json, after: Json): readonly Json[] {
  const changes = changesOf(messages, before, after);
  const begun = new Set<string>();
  return messages.flatMap((event) => {
    if (event["type"] === DONE) return [withOutput(event, outputOf(after).slice(0, outputOf(event).length))];
    if (outputOf(event).length > 0) return [withOutput(event, changes.size > 0 ? [] : outputOf(event))];
    if (isJson(event["item"])) return [{ ...event, item: changedItem(event["item"], changes, isEnd(event)) }];
    const change = changes.get(nameOf(placeOf(event)));
    return change === undefined ? [event] : changedEvent(event, change, begun);
  });
}
const isEnd = ({ type }: Json): boolean => String(type).endsWith(".done");
const withOutput = (event: Json, output: readonly unknown[]): Json => ({ ...event, response: { ...object(event["response"]), output } });

function changedEvent(event: Json, change: Json, begun: Set<string>): readonly Json[] {
  if (AUDIO.has(event["type"])) return [];
  if (isJson(event["part"])) return [{ ...event, part: changedPart(event["part"], change, isEnd(event)) }];
  const piece = pieceIn(event);
  if (piece === undefined) return [{ ...event, ...textsOf(event, textIn(change)) }];
  const name = nameOf(piece);
  if (begun.has(name)) return [];
  begun.add(name);
  return [{ ...event, delta: textIn(change) }];
}

/** The text of a part or call, in whichever member it has it. */
function textIn(change: Json): string {
  const said = TEXTS.map((member) => change[member]).find((text) => typeof text === "string");
  return typeof said === "string" ? said : "";
}
/** The members in which this has a text, all with this one. */
const textsOf = (of: Json, text: string): Json =>
  Object.fromEntries(TEXTS.flatMap((member) => (typeof of[member] === "string" ? [[member, text]] : [])));
function changedPart(part: Json, change: Json, isEnd: boolean): Json {
  return { type: part["type"], ...textsOf(part, isEnd ? textIn(change) : "") };
}

function changedItem(item: Json, changes: Changes, isEnd: boolean): Json {
  const changeOf = (index: number) => changes.get(nameOf({ item: String(item["id"]), part: index }));
  const { content } = item;
  if (!Array.isArray(content)) return changedCall(item, changeOf(0), isEnd);
  const parts = content.map((part: unknown, index) => {
    const change = changeOf(index);
    return change === undefined ? part : changedPart(object(part), change, isEnd);
  });
  return { ...item, content: parts };
}
/** A change of the call's arguments alone has no name. */
function changedCall(item: Json, change: Json | undefined, isEnd: boolean): Json {
  if (change === undefined) return item;
  const { id, object: kind, type, status, call_id, name } = item;
  const form = { id, object: kind, type, status, call_id };
  const { name: changed } = change;
  return { ...change, ...form, name: changed === "" || changed === undefined ? name : changed, arguments: isEnd ? textIn(change) : "" };
}
