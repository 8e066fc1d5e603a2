import { isJson, type Json } from "#contract";
import { type Kept, newId } from "../kept.ts";
import { scenarioOf } from "../scenario.ts";
import { type Speech, speechOf } from "../speech.ts";
import { messagesOf, newMessage } from "./threads.ts";

/* How a run goes on: what its model says becomes a message of the thread, or a call that it waits for. */

/** A run and what came of it in one go. */
export interface Done {
  readonly run: Json;
  readonly step: Json;
  readonly message: Json | null;
  readonly text: string;
}

/** Lets the model speak. */
export async function finished(kept: Kept, run: Json, at: number): Promise<Done> {
  const body = await conversation(kept, run);
  const calls = (await stepsOf(kept, run["id"])).flatMap(callsOf);
  const speech = await speechOf(body, scenarioOf(body), String(calls.length + 1));
  return speech.tool ? callPending(kept, run, speech.tool, at) : messageWritten(kept, run, speech, at);
}

/** The run as the chat that its model would see. */
async function conversation(kept: Kept, run: Json): Promise<Json> {
  const { thread_id: thread, instructions, model, tools, tool_choice, sandbox } = run;
  const spoken = (await messagesOf(kept, thread)).map(({ role, content }) => ({ role, content: textIn(content) }));
  const outputs = (await stepsOf(kept, run["id"])).flatMap(outputsOf).map((content) => ({ role: "tool", content }));
  const system = typeof instructions === "string" && instructions !== "" ? [{ role: "system", content: instructions }] : [];
  return { model, tools, tool_choice, messages: [...system, ...spoken, ...outputs], ...(sandbox !== undefined && { sandbox }) };
}
function textIn(content: unknown): string {
  const parts = Array.isArray(content) ? content.filter(isJson) : [];
  return parts.map(({ text }) => (isJson(text) ? String(text["value"]) : "")).join("");
}

export const stepsOf = (kept: Kept, run: unknown): Promise<readonly Json[]> =>
  kept.all("thread.run.step", (step) => step["run_id"] === run);
export const callsOf = ({ step_details: details }: Json): readonly Json[] =>
  isJson(details) && Array.isArray(details["tool_calls"]) ? details["tool_calls"].filter(isJson) : [];
const outputsOf = (step: Json): readonly string[] =>
  callsOf(step).flatMap((call) =>
    isJson(call["function"]) && typeof call["function"]["output"] === "string" ? call["function"]["output"] : [],
  );

function messageWritten(kept: Kept, run: Json, speech: Speech, at: number): Done {
  const more = { assistant_id: run["assistant_id"], run_id: run["id"] };
  const message = newMessage(kept, {
    thread: String(run["thread_id"]),
    message: { role: "assistant", content: speech.text },
    at,
    more,
  });
  const details = { type: "message_creation", message_creation: { message_id: message["id"] } };
  const usage = usageOf(speech);
  const step = newStep(kept, run, at, { step_details: details, status: "completed", completed_at: at, usage });
  const done = kept.put(String(run["id"]), { ...run, status: "completed", started_at: at, completed_at: at, expires_at: null, usage });
  return { run: done, step, message, text: speech.text };
}
const usageOf = ({ usage: { prompt, completion } }: Speech): Json => ({
  prompt_tokens: prompt,
  completion_tokens: completion,
  total_tokens: prompt + completion,
});

function callPending(kept: Kept, run: Json, tool: NonNullable<Speech["tool"]>, at: number): Done {
  const call = { id: tool.id, type: "function", function: { name: tool.name, arguments: tool.arguments } };
  const details = { type: "tool_calls", tool_calls: [{ ...call, function: { ...call.function, output: null } }] };
  const step = newStep(kept, run, at, { step_details: details, status: "in_progress" });
  const action = { type: "submit_tool_outputs", submit_tool_outputs: { tool_calls: [call] } };
  const waits = kept.put(String(run["id"]), { ...run, status: "requires_action", started_at: at, required_action: action });
  return { run: waits, step, message: null, text: "" };
}

function newStep(kept: Kept, { id: runId, thread_id, assistant_id }: Json, at: number, members: Json): Json {
  const id = newId("step_");
  const { step_details: details } = members;
  return kept.put(id, {
    id,
    object: "thread.run.step",
    created_at: at,
    assistant_id,
    thread_id,
    run_id: runId,
    type: isJson(details) ? details["type"] : null,
    last_error: null,
    expired_at: null,
    cancelled_at: null,
    failed_at: null,
    completed_at: null,
    metadata: {},
    usage: null,
    ...members,
  });
}

/** The outputs of the calls that a run waits for: its step is done, and it goes on. */
export async function answered(kept: Kept, run: Json, outputs: ReadonlyMap<unknown, unknown>, at: number): Promise<Json> {
  for (const step of await stepsOf(kept, run["id"])) {
    if (step["status"] !== "in_progress") continue;
    const calls = callsOf(step).map((call) => ({
      ...call,
      function: { ...(call["function"] as Json), output: outputs.get(call["id"]) ?? null }, // as callPending() made it
    }));
    kept.put(String(step["id"]), {
      ...step,
      status: "completed",
      completed_at: at,
      step_details: { type: "tool_calls", tool_calls: calls },
    });
  }
  return kept.put(String(run["id"]), { ...run, status: "queued", required_action: null });
}
