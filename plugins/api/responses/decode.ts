import { type Frame, isJson, type Json, parseJson, type StreamEvent, type StreamMap, type Terminal, type Usage } from "#contract";
import { failureIn } from "../content/failure.ts";
import { tokenUsage, usageAtEnd } from "../content/token-usage.ts";
import { count, entry, object, objects, text } from "../content/wire.ts";
import { errorAtEnd, failure, spliced } from "./failure.ts";
import { CallNumbers, itemBegun, itemEnded, itemEvents, logprobsOf, customPiece } from "./read-items.ts";
import { finishOf } from "./response.ts";
import { StreamedResponse } from "./streamed-response.ts";

/** What the responses wire makes a reader remember. A reader may begin in the middle of an answer. */
export interface ResponseReading {
  /** Id of the response under way. */
  id: string | null;
  ended: boolean;
  readonly calls: CallNumbers;
  /** A text was told already: the next part is a block of its own. */
  spoke: boolean;
  /** Where the stream is judged: what was told, since its events repeat it. */
  readonly earlier: StreamedResponse | null;
}
type Events = readonly StreamEvent[];
type Handler = (event: Json, state: ResponseReading) => Events;
const NOTHING: Events = [];
function start(judged = false): ResponseReading {
  const calls = new CallNumbers();
  return { id: null, ended: false, calls, spoke: false, earlier: judged ? new StreamedResponse(calls) : null };
}

/** The events that end an answer, however it ended. Each repeats the whole of it. */
export const terminal: Terminal = {
  events: ["response.completed", "response.incomplete", "response.failed"],
  ofLong(event, tail) {
    if (event === "response.failed") throw failure(errorAtEnd(tail));
    const usage = usageAtEnd(tail);
    const reason = event === "response.incomplete" ? "length" : "stop";
    return [{ type: "finish", reason }, ...(usage ? [{ type: "usage" as const, usage }] : [])];
  },
};

/** Frames -> events. */
export const decode: StreamMap<ResponseReading> = {
  start,
  event: ({ data }: Frame, state) => (data === "" || data === "[DONE]" || state.ended ? NOTHING : eventsOnce(eventIn(data), state)),
  ends: (_frame, { ended }) => ended,
};

function eventIn(data: string): Json {
  const event: unknown = parseJson(data);
  if (!isJson(event)) throw new SyntaxError("an event of the stream is not a JSON object");
  return event;
}
function eventsOnce(event: Json, state: ResponseReading): Events {
  if (state.earlier === null) return handle(event, state);
  const begun = state.id !== null;
  const events = handle(event, state);
  const rest = state.earlier.newIn(event);
  return begun ? [...rest, ...events] : [...events, ...rest];
}
function handle(event: Json, state: ResponseReading): Events {
  const handler = entry(ON, event.type);
  if (handler) return handler(event, state);
  const failed = event.type === undefined ? failureIn(event) : undefined;
  if (failed) throw failed;
  return NOTHING;
}

const ON: Readonly<Record<string, Handler>> = {
  "response.created": ({ response }, state) => begin(object(response), state),
  "response.in_progress": ({ response }, state) => (state.id === null ? begin(object(response), state) : NOTHING),
  "response.queued": ({ response }, state) => (state.id === null ? begin(object(response), state) : NOTHING),
  "response.output_item.added": ({ item, output_index }, { calls }) => itemBegun(object(item), Number(output_index), calls),
  "response.output_item.done": ({ item, output_index }, { calls }) => itemEnded(object(item), Number(output_index), calls),
  "response.content_part.added": ({ part }, state) => {
    const begins = state.spoke && object(part).type === "output_text";
    return begins ? BEGINS : NOTHING;
  },
  "response.output_text.delta": ({ delta, logprobs }, state) => {
    state.spoke = true;
    return [...deltaEvents("text", delta), ...logprobsOf(logprobs)];
  },
  "response.output_text.annotation.added": ({ annotation }) =>
    isJson(annotation) ? [{ type: "citation", citation: annotation }] : NOTHING,
  "response.refusal.delta": ({ delta }) => deltaEvents("refusal", delta),
  "response.reasoning_summary_part.added": ({ summary_index }) => (Number(summary_index) > 0 ? deltaEvents("reasoning", "\n\n") : NOTHING),
  "response.reasoning_summary_text.delta": ({ delta }) => deltaEvents("reasoning", delta),
  "response.reasoning_text.delta": ({ delta }) => deltaEvents("reasoning", delta),
  "response.function_call_arguments.delta": ({ delta, output_index }, { calls }) => calls.argument(delta, Number(output_index)),
  "response.custom_tool_call_input.delta": ({ delta, output_index }, { calls }) => calls.argument(customPiece(delta), Number(output_index)),
  "response.completed": ({ response }, state) => end(object(response), state),
  "response.incomplete": ({ response }, state) => end(object(response), state),
  "response.failed": ({ response }) => {
    throw failure(object(object(response).error));
  },
  error: (event) => {
    throw failure(isJson(event.error) ? event.error : event);
  },
};
const BEGINS: Events = [{ type: "text", text: "", begins: true }];
const deltaEvents = (type: "text" | "refusal" | "reasoning", delta: unknown): Events => {
  const piece = text(delta);
  return piece === undefined ? NOTHING : [{ type, text: piece }];
};

function begin({ id, model, created_at }: Json, state: ResponseReading): Events {
  const [before, name] = [state.id, text(id)];
  if (before !== null && (name === undefined || name === before)) return NOTHING;
  if (before !== null) throw spliced(before, String(id)); // another answer before the end is a retry spliced into the same body
  state.id = name ?? "";
  const [model_, created] = [text(model), count(created_at)];
  return [{ type: "start", ...(name && { id: name }), ...(model_ && { model: model_ }), ...(created !== undefined && { created }) }];
}
/** The last event repeats the whole answer; its head and its usage are read. */
function end({ id, model, created_at, usage, incomplete_details, output }: Json, state: ResponseReading): Events {
  const begun = state.id === null ? begin({ id, model, created_at }, state) : NOTHING;
  const counts = tokenUsage({ usage });
  state.ended = true;
  const calls = objects(output).some(({ type }) => type === "function_call" || type === "custom_tool_call");
  return [
    ...begun,
    { type: "finish", reason: finishOf(incomplete_details, calls) },
    ...(counts ? [{ type: "usage" as const, usage: counts }] : []),
  ];
}

/** A whole response -> the events its stream would have brought. */
export function read(body: Json): Events {
  const output = outputOf(body);
  if (body.status === "failed") throw failure(object(body.error));
  const state = start();
  return [...begin(body, state), ...output.flatMap((item, index) => itemEvents(item, index, state.calls)), ...end(body, state)];
}

/** The usage of a whole response, without its events. */
export function usageIn(body: Json): Usage | undefined {
  outputOf(body);
  return tokenUsage(body);
}

function outputOf(body: Json): readonly Json[] {
  if (Array.isArray(body.output)) return objects(body.output);
  throw failureIn(body) ?? new SyntaxError("the answer has no list of output items");
}
