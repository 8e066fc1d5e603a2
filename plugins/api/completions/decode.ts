import type { Json, StreamEvent, StreamMap, Usage } from "#contract";
import { beginning, choicesIn, chunkIn, finishOf, refuseMore } from "../content/choice-chunks.ts";
import { usageOf } from "../content/usage.ts";
import { count, objects, text } from "../content/wire.ts";

/** What the wire makes a reader remember: whether it began, and which choices are over. */
export interface CompletionState {
  started: boolean;
  readonly finished: Set<number>;
  /** What comes behind a finish is told too: a client may read it. */
  readonly judged: boolean;
}

/** text_completion frames -> events. */
export const decode: StreamMap<CompletionState> = {
  start: (judged = false) => ({ started: false, finished: new Set(), judged }),
  event(frame, state) {
    const chunk = chunkIn(frame);
    return chunk === null ? [] : eventsOf(chunk, state);
  },
};

/** A whole text_completion -> the events its stream would have brought. */
export const read = (body: Json): readonly StreamEvent[] =>
  eventsOf(
    { ...body, choices: objects(choicesIn(body)).map((choice) => ({ ...choice, finish_reason: choice["finish_reason"] ?? "stop" })) },
    decode.start(),
  );

/** The usage of a whole text_completion, without its events. */
export function usageIn(body: Json): Usage | undefined {
  choicesIn(body);
  return usageOf(body["usage"]);
}

function eventsOf(chunk: Json, state: CompletionState): readonly StreamEvent[] {
  const choices = objects(chunk["choices"]);
  const usage = usageOf(chunk["usage"]);
  // A first chunk may hold filter results only: nothing to start with.
  if (text(chunk["id"]) === undefined && choices.length === 0 && usage === undefined) return [];
  const begins = state.started ? [] : [beginning(chunk)];
  state.started = true;
  return [...begins, ...choices.flatMap((choice) => choiceEvents(choice, state)), ...(usage ? [{ type: "usage" as const, usage }] : [])];
}

function choiceEvents(wire: Json, { finished, judged }: CompletionState): readonly StreamEvent[] {
  const index = count(wire["index"]) ?? 0;
  const isOver = finished.has(index);
  if (isOver && !judged) return []; // some providers repeat the last chunk
  const choice = index === 0 ? {} : { choice: index };
  const content = text(wire["text"]);
  const texts: readonly StreamEvent[] = content === undefined ? [] : [{ type: "text", text: content, ...choice }];
  if (isOver) return texts;
  const reason = text(wire["finish_reason"]);
  if (reason === undefined) return texts;
  refuseMore(finished.size);
  finished.add(index);
  return [...texts, { type: "finish", ...finishOf(reason), ...choice }];
}
