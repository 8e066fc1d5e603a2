import { isJson, type Json, type NoJsonAnswer } from "#contract";

/** Transcripts that are no JSON: texts and subtitles as they stand, events as the text that they spell. */
export const transcripts: NoJsonAnswer = {
  read: (wire, type) => ({ text: isEvents(type) ? textOf(eventsIn(wire)) : wire }),
  write: ({ text }, wire, type) => (isEvents(type) ? eventsOf(String(text), wire) : String(text)),
};

const isEvents = (type: string): boolean => type.includes("event-stream");

function eventsIn(wire: string): readonly Json[] {
  return wire.split(/\r?\n/).flatMap((line) => {
    const event = line.startsWith("data:") ? parsed(line.slice(5)) : undefined;
    return isJson(event) ? [event] : [];
  });
}
function parsed(data: string): unknown {
  try {
    return JSON.parse(data);
  } catch {
    return undefined; // the end marker
  }
}

/** The last event says the whole text; where it never came, the pieces do. */
function textOf(events: readonly Json[]): string {
  const done = events.findLast(({ type, text }) => type === DONE && typeof text === "string");
  return done ? String(done["text"]) : events.map(({ delta, text }) => String(delta ?? text ?? "")).join("");
}
const DONE = "transcript.text.done";

/** The changed text as one piece, and the last event with it; what else its members said (log probabilities) is gone. */
function eventsOf(text: string, before: string): string {
  const { usage } = eventsIn(before).findLast(({ type }) => type === DONE) ?? {};
  const events: readonly Json[] = [
    { type: "transcript.text.delta", delta: text },
    { type: DONE, text, ...(usage !== undefined && { usage }) },
  ];
  const marker = /^data: ?\[DONE\]/m.test(before) ? "data: [DONE]\n\n" : "";
  return events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join("") + marker;
}
