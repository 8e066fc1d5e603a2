import { isJson, type Json, nextTurn, type NoJsonAnswer } from "#contract";
import { objectIn, objectsIn } from "../content/ids.ts";
import { eventsIn, type RunEvent } from "../content/stream-events.ts";

/**
 * The events of a streamed run as one body, so that guardrails read and patch it: the messages that were said, as a page of
 * them is, and the calls that the run waits for.
 */
export const runEvents: NoJsonAnswer = {
  read: async (wire) => bodyOf(await eventsIn(wire)),
  write: async (body, wire) => written(await eventsIn(wire), changedBy(body)),
};

/** Events that are written before others have their turn. */
const AT_ONCE = 500;
async function written(events: readonly RunEvent[], changed: (event: RunEvent) => string): Promise<string> {
  let wire = "";
  for (const [index, event] of events.entries()) {
    wire += changed(event);
    if (index % AT_ONCE === AT_ONCE - 1) await nextTurn();
  }
  return wire;
}

const DELTA = "thread.message.delta";
const STEP_DELTA = "thread.run.step.delta";
const WAITS = "thread.run.requires_action";
const isOf = (kind: "message" | "run.step", { name, data }: RunEvent): boolean => data !== undefined && name.startsWith(`thread.${kind}.`);

/** The messages, and the calls that a run waits for last; then what other events tell of either in other words. */
function bodyOf(events: readonly RunEvent[]): Json {
  const waiting = events.filter(({ name, data }) => name === WAITS && data !== undefined).map(({ data }) => data ?? {});
  const last = waiting.pop();
  const data = [...messagesIn(events), ...waiting.filter((run) => !isSameAction(run, last)).map(withoutId), ...stepsIn(events)];
  return { data, ...(last && { required_action: last["required_action"] }) };
}
const isSameAction = (run: Json, last: Json | undefined): boolean =>
  JSON.stringify(run["required_action"]) === JSON.stringify(last?.["required_action"]);
const withoutId = ({ id: _, ...rest }: Json): Json => rest;

/** A message as it was told last; one that never came to its end is what its pieces spell. Other tellings stand without its id. */
function messagesIn(events: readonly RunEvent[]): readonly Json[] {
  const tellings = new Map<unknown, Json[]>();
  const pieced = new Map<unknown, Json[]>();
  for (const event of events) {
    const { name, data } = event;
    if (data === undefined || !isOf("message", event)) continue;
    if (name === DELTA) grow(contentOf(pieced, data["id"]), objectIn(data, "delta"));
    else if (objectsIn(data["content"]).length > 0) pushed(tellings, data["id"], data);
  }
  return [...new Set([...tellings.keys(), ...pieced.keys()])].flatMap((id) => {
    const content = pieced.get(id);
    const spelled: readonly Json[] = content === undefined ? [] : [{ id, role: "assistant", content }];
    const [last, ...others] = [...[...(tellings.get(id) ?? [])].reverse(), ...spelled];
    return last === undefined ? [] : [last, ...different(others, last).map(withoutId)];
  });
}
function pushed(lists: Map<unknown, Json[]>, id: unknown, value: Json): void {
  const list = lists.get(id);
  if (list === undefined) lists.set(id, [value]);
  else list.push(value);
}
function different(others: readonly Json[], last: Json): readonly Json[] {
  const said = new Map(others.map((message) => [saidIn(message), message]));
  said.delete(saidIn(last));
  return [...said.values()];
}
/** What a message says, without what that rests on. */
const saidIn = ({ content }: Json): string =>
  objectsIn(content)
    .map(({ index: _, ...part }) => textOfPart(part) ?? JSON.stringify(part))
    .join("\n");

/** What a part says: its text is an object with a value, or the value itself. */
function textOfPart({ text }: Json): string | undefined {
  const value = isJson(text) ? text["value"] : text;
  return value === undefined ? undefined : String(value);
}
function contentOf(pieced: Map<unknown, Json[]>, id: unknown): Json[] {
  const content = pieced.get(id) ?? [];
  pieced.set(id, content);
  return content;
}
/** The parts of a message, with one more piece of it. */
function grow(content: Json[], delta: Json): void {
  for (const part of objectsIn(delta["content"])) {
    const at = typeof part["index"] === "number" ? part["index"] : 0;
    const value = (textOfPart(content[at] ?? {}) ?? "") + (textOfPart(part) ?? "");
    content[Math.min(at, content.length)] = part["type"] === "text" ? { type: "text", text: { value, annotations: [] } } : part;
  }
}

/** Steps with calls, as they ended, and as their pieces spell them. */
function stepsIn(events: readonly RunEvent[]): readonly Json[] {
  const steps = new Map<unknown, Json>();
  const pieced = new Map<unknown, Map<string, Json>>();
  for (const event of events) {
    const { name, data } = event;
    if (data === undefined || !isOf("run.step", event)) continue;
    const { tool_calls: calls } = objectIn(name === STEP_DELTA ? objectIn(data, "delta") : data, "step_details");
    if (objectsIn(calls).length === 0) continue;
    if (name !== STEP_DELTA) steps.set(data["id"], data);
    else pieced.set(data["id"], objectsIn(calls).reduce(withCall, pieced.get(data["id"]) ?? new Map<string, Json>()));
  }
  const spelled = [...pieced.values()].map((calls) => ({ step_details: { tool_calls: [...calls.values()] } }));
  return [...steps.values(), ...spelled];
}
function withCall(calls: Map<string, Json>, piece: Json): Map<string, Json> {
  const key = String(piece["index"] ?? piece["id"]);
  return calls.set(key, joined(calls.get(key) ?? {}, piece) as Json); // of two objects an object is made
}
/** More than any call has: each piece makes it anew. */
const MOST_MEMBERS = 100;
/** Texts one behind the other, below names that say what a thing is. */
function joined(before: unknown, piece: unknown): unknown {
  if (typeof before === "string" && typeof piece === "string") return before + piece;
  if (!isJson(before) || !isJson(piece)) return piece;
  if (Object.keys(before).length > MOST_MEMBERS) throw new SyntaxError(`a call of it has more than ${MOST_MEMBERS} members`);
  const members = Object.entries(piece).map(([name, value]) => [name, NAMES.has(name) ? value : joined(before[name], value)]);
  return { ...before, ...Object.fromEntries(members) };
}
const NAMES: ReadonlySet<string> = new Set(["id", "type", "name", "index"]);

/** Each event as the changed body has it: a message comes as one piece, in place of its first. */
function changedBy(body: Json): (event: RunEvent) => string {
  const changed = new Map(
    objectsIn(body["data"]).flatMap((telling): [unknown, Json][] => (telling["id"] === undefined ? [] : [[telling["id"], telling]])),
  );
  const pieced = new Set<unknown>();
  return (event) => {
    const { name, data, wire } = event;
    if (data === undefined) return wire;
    if (name === STEP_DELTA) return ""; // its step says it whole
    if (name === WAITS) return frame(name, { ...data, required_action: body["required_action"] });
    const telling = changed.get(data["id"]);
    if (telling === undefined) return wire;
    if (name !== DELTA) return changedEvent(event, data, telling);
    const isFirst = !pieced.has(data["id"]);
    pieced.add(data["id"]);
    return isFirst ? frame(name, { ...data, delta: { ...objectIn(data, "delta"), content: pieces(telling) } }) : "";
  };
}
function changedEvent(event: RunEvent, data: Json, { content, step_details }: Json): string {
  const { name, wire } = event;
  if (isOf("run.step", event)) return data["step_details"] === undefined ? wire : frame(name, { ...data, step_details });
  const says = isOf("message", event) && objectsIn(data["content"]).length > 0;
  return says ? frame(name, { ...data, content }) : wire;
}

const pieces = ({ content }: Json): readonly Json[] => objectsIn(content).map((part, index) => ({ index, ...part }));
const frame = (name: string, data: Json): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
