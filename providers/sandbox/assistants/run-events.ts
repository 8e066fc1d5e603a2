import type { Json } from "#contract";
import { words } from "../speech.ts";
import { callsOf, type Done } from "./run.ts";

/** The events of a streamed run, its end marker left out but for its name; a thread that was made for it comes first. */
export function* runEvents({ run, step, message, text }: Done, thread?: Json): Generator<string> {
  if (thread) yield event("thread.created", thread);
  const begun = { ...run, status: "queued", required_action: null, started_at: null, completed_at: null, usage: null };
  for (const name of ["created", "queued"]) yield event(`thread.run.${name}`, begun);
  yield event("thread.run.in_progress", { ...begun, status: "in_progress", started_at: run["started_at"] });
  const open = { ...step, status: "in_progress", completed_at: null, usage: null };
  yield event("thread.run.step.created", message ? open : { ...open, step_details: { type: "tool_calls", tool_calls: [] } });
  yield event("thread.run.step.in_progress", open);
  if (message) yield* messageEvents(message, text);
  else yield* callEvents(step);
  if (message) yield event("thread.run.step.completed", step);
  yield event(`thread.run.${String(run["status"])}`, run);
  yield "event: done\n";
}

function* messageEvents(message: Json, text: string): Generator<string> {
  const begun = { ...message, status: "in_progress", completed_at: null, content: [] };
  for (const name of ["created", "in_progress"]) yield event(`thread.message.${name}`, begun);
  for (const value of words(text)) {
    const content = [{ index: 0, type: "text", text: { value, annotations: [] } }];
    yield event("thread.message.delta", { id: message["id"], object: "thread.message.delta", delta: { content } });
  }
  yield event("thread.message.completed", message);
}

function* callEvents(step: Json): Generator<string> {
  const tool_calls = callsOf(step).map((call, index) => ({ index, ...call }));
  const delta = { step_details: { type: "tool_calls", tool_calls } };
  yield event("thread.run.step.delta", { id: step["id"], object: "thread.run.step.delta", delta });
}

const event = (name: string, data: Json): string => `event: ${name}\ndata: ${JSON.stringify(data)}\n\n`;
