import { isJson, type Json, type NoJsonAnswer } from "#contract";
import { objectIn, objectsIn } from "../content/ids.ts";

/**
 * The events of a streamed run as one body, so that guardrails read and patch it: the messages that were said, as a page of
 * them is, and the calls that the run waits for.
 */
export const runEvents: NoJsonAnswer = {
  read: (wire) => bodyOf(eventsIn(wire)),
  write: (body, wire) => eventsIn(wire).map(changedBy(body)).join(""),
};

interface Event {
  readonly name: string;
  readonly data: Json | undefined;
  /** As it came, with its blank line. */
  readonly wire: string;
}
function eventsIn(wire: string): readonly Event[] {
  return wire.split(/(?<=\r?\n\r?\n)/).map((frame) => {
    const lines = frame.split(/\r?\n/);
    const field = (name: string): string =>
      lines
        .find((line) => line.startsWith(`${name}:`))
        ?.slice(name.length + 1)
        .trim() ?? "";
    return { name: field("event"), data: parsed(field("data")), wire: frame };
  });
}
function parsed(data: string): Json | undefined {
  try {
    const value: unknown = JSON.parse(data);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined; // the end marker
  }
}

const ENDED: ReadonlySet<string> = new Set(["thread.message.completed", "thread.message.incomplete"]);
const DELTA = "thread.message.delta";
const WAITS = "thread.run.requires_action";

function bodyOf(events: readonly Event[]): Json {
  const waiting = events.findLast(({ name }) => name === WAITS)?.data;
  return { data: messagesIn(events), ...(waiting && { required_action: waiting["required_action"] }) };
}

/** A message that never came to its end is what its pieces spell. */
function messagesIn(events: readonly Event[]): readonly Json[] {
  const messages = new Map<unknown, Json>();
  for (const { name, data } of events) {
    if (data === undefined) continue;
    if (ENDED.has(name)) messages.set(data["id"], data);
    else if (name === DELTA) messages.set(data["id"], grown(messages.get(data["id"]), data));
  }
  return [...messages.values()];
}

function grown(before: Json | undefined, { id, delta }: Json): Json {
  const content = [...objectsIn(before?.["content"])];
  for (const part of objectsIn(isJson(delta) ? delta["content"] : [])) {
    const at = typeof part["index"] === "number" ? part["index"] : 0;
    const value = String(objectIn(content[at] ?? {}, "text")["value"] ?? "") + String(objectIn(part, "text")["value"] ?? "");
    content[Math.min(at, content.length)] = part["type"] === "text" ? { type: "text", text: { value, annotations: [] } } : part;
  }
  return { id, role: "assistant", content };
}

/** Each event as the changed body has it: a message comes as one piece, in place of its first. */
function changedBy(body: Json): (event: Event) => string {
  const messages = new Map(objectsIn(body["data"]).map((message) => [message["id"], message]));
  const pieced = new Set<unknown>();
  return ({ name, data, wire }) => {
    const message = messages.get(data?.["id"]);
    if (name === WAITS && data) return frame(name, { ...data, required_action: body["required_action"] });
    if (message === undefined || data === undefined) return CALL_PIECES.has(name) ? "" : wire;
    if (ENDED.has(name)) return frame(name, { ...data, content: message["content"] });
    if (name !== DELTA) return wire;
    if (pieced.has(data["id"])) return "";
    pieced.add(data["id"]);
    return frame(name, { ...data, delta: { ...objectIn(data, "delta"), content: pieces(message) } });
  };
}
/** Pieces of calls that may have been changed; the run that waits for them says them whole. */
const CALL_PIECES: ReadonlySet<string> = new Set(["thread.run.step.delta"]);

const pieces = ({ content }: Json): readonly Json[] => objectsIn(content).map((part, index) => ({ index, ...part }));
const frame = (name: string, data: Json): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
