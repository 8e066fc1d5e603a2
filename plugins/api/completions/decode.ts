import { type FinishReason, type Frame, isJson, type Json, parseJson, type StreamEvent, type StreamMap, type Usage } from "#contract";
import { failureFrame, failureIn } from "../content/failure.ts";
import { usageOf } from "../content/usage.ts";
import { count, objects, text } from "../content/wire.ts";

/** What the wire makes a reader remember: whether it began, and which choices are over. */
export interface CompletionState {
  started: boolean;
  readonly finished: Set<number>;
}

/** text_completion frames -> events. */
export const decode: StreamMap<CompletionState> = {
  start: () => ({ started: false, finished: new Set() }),
  event(frame, state) {
    if (frame.data === "[DONE]" || frame.data === "") return [];
    const chunk = chunkIn(frame);
    const failed = frame.event === "error" ? failureFrame(chunk) : failureIn(chunk);
    if (failed) throw failed;
    return eventsOf(chunk, state);
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

function choicesIn(body: Json): readonly unknown[] {
  const failed = failureIn(body);
  if (failed) throw failed;
  if (!Array.isArray(body["choices"])) throw new SyntaxError("the answer has no choices");
  return body["choices"];
}

function chunkIn({ data }: Frame): Json {
  const chunk: unknown = parseJson(data);
  if (!isJson(chunk)) throw new SyntaxError("a stream chunk is not a JSON object");
  return chunk;
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

function beginning(chunk: Json): StreamEvent {
  const [id, model, created] = [text(chunk["id"]), text(chunk["model"]), count(chunk["created"])];
  return { type: "start", ...(id && { id }), ...(model && { model }), ...(created && { created }) };
}

/** Of one answer; nobody can ask for so many. */
const MAX_CHOICES = 4_096;

function choiceEvents(wire: Json, { finished }: CompletionState): readonly StreamEvent[] {
  const index = count(wire["index"]) ?? 0;
  if (finished.has(index)) return []; // some providers repeat the last chunk
  const choice = index === 0 ? {} : { choice: index };
  const said = text(wire["text"]);
  const texts: readonly StreamEvent[] = said === undefined ? [] : [{ type: "text", text: said, ...choice }];
  const reason = text(wire["finish_reason"]);
  if (reason === undefined) return texts;
  if (finished.size === MAX_CHOICES) throw new SyntaxError(`it holds more than ${MAX_CHOICES} choices`);
  finished.add(index);
  return [...texts, { type: "finish", ...finish(reason), ...choice }];
}

const REASONS: ReadonlySet<string> = new Set<FinishReason>(["stop", "length", "content_filter"]);
const isReason = (reason: string): reason is FinishReason => REASONS.has(reason);
const finish = (reason: string): { reason: FinishReason; native?: string } =>
  isReason(reason) ? { reason } : { reason: "stop", native: reason };
