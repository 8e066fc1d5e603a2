import { type Adapter, isJson, type Json } from "#contract";
import { answering, obeying } from "../answering.ts";
import { idAt, type Kept, newId, pick } from "../kept.ts";
import { invalid, missing } from "../missing.ts";
import { page } from "../page.ts";
import { play } from "../play.ts";
import { Refusal } from "../refusal.ts";
import { scenarioOf } from "../scenario.ts";
import { assistantOf } from "./assistants.ts";
import { answered, callsOf, type Done, finished, stepsOf } from "./run.ts";
import { runEvents } from "./run-events.ts";
import { newMessage, newThread, threadOf } from "./threads.ts";

/** Seconds after which a run would expire, had it not ended before. */
const EXPIRES = 600;

/** Makes a run of a body: what that leaves open, the assistant says. */
function newRun(kept: Kept, thread: string, body: Json, at: number): Json {
  if (typeof body["assistant_id"] !== "string" || body["assistant_id"] === "") throw missing("assistant_id");
  const assistant = assistantOf(kept, body["assistant_id"]);
  for (const message of Array.isArray(body["additional_messages"]) ? body["additional_messages"].filter(isJson) : [])
    newMessage(kept, { thread, message, at });
  const id = newId("run_");
  const settings = pick(body, ["tool_choice", "truncation_strategy", "max_prompt_tokens", "max_completion_tokens", "parallel_tool_calls"]);
  return kept.put(id, {
    id,
    object: "thread.run",
    created_at: at,
    thread_id: thread,
    assistant_id: assistant["id"],
    ...UNBEGUN,
    expires_at: at + EXPIRES,
    model: body["model"] ?? assistant["model"],
    instructions: [body["instructions"] ?? assistant["instructions"], body["additional_instructions"]].filter(Boolean).join("\n"),
    tools: body["tools"] ?? assistant["tools"],
    metadata: body["metadata"] ?? {},
    temperature: body["temperature"] ?? assistant["temperature"],
    top_p: body["top_p"] ?? assistant["top_p"],
    response_format: body["response_format"] ?? assistant["response_format"],
    ...settings,
    ...pick(body, ["sandbox"]),
  });
}
const UNBEGUN: Json = {
  status: "queued",
  required_action: null,
  last_error: null,
  started_at: null,
  cancelled_at: null,
  failed_at: null,
  completed_at: null,
  incomplete_details: null,
  usage: null,
  max_prompt_tokens: null,
  max_completion_tokens: null,
  truncation_strategy: { type: "auto", last_messages: null },
  tool_choice: "auto",
  parallel_tool_calls: true,
};

export function runs(kept: Kept, seconds: () => number): Record<string, Adapter> {
  const found = (path: string): Json => {
    const run = kept.get(idAt(path, 3));
    if (run?.["object"] !== "thread.run" || run["thread_id"] !== threadOf(kept, path)["id"])
      throw new Refusal(404, { message: `No run found with id '${idAt(path, 3)}'.`, param: "run_id" });
    return run;
  };
  /** A run is queued until it is looked at. */
  const seen = async (run: Json): Promise<Json> => (run["status"] === "queued" ? (await finished(kept, run, seconds())).run : run);
  /** The run as it begins, or the events of all of it. */
  const begun = async (run: Json, { stream }: Json, signal: AbortSignal, thread?: Json): Promise<Json | Response> =>
    stream === true ? streamed(await finished(kept, run, seconds()), signal, thread) : run;
  return {
    createThreadAndRun: {
      answer: obeying((body, _, signal) => {
        if (typeof body["assistant_id"] !== "string") throw missing("assistant_id");
        const thread = newThread(kept, isJson(body["thread"]) ? body["thread"] : {}, seconds());
        return begun(newRun(kept, String(thread["id"]), body, seconds()), body, signal, thread);
      }),
    },
    createRun: {
      answer: obeying((body, { path }, signal) => begun(newRun(kept, String(threadOf(kept, path)["id"]), body, seconds()), body, signal)),
    },
    listRuns: {
      answer: answering(async (_, { path, search }) => {
        const { id } = threadOf(kept, path);
        return page(await kept.all("thread.run", (run) => run["thread_id"] === id), search);
      }),
    },
    getRun: { answer: answering((_, { path }) => seen(found(path))) },
    modifyRun: { answer: answering((body, { path }) => kept.put(idAt(path, 3), { ...found(path), ...pick(body, ["metadata"]) })) },
    submitToolOutputsToRun: {
      answer: obeying(async (body, { path }, signal) => {
        const run = found(path);
        return begun(await answered(kept, run, await outputsFor(kept, run, body), seconds()), body, signal);
      }),
    },
    cancelRun: {
      answer: answering((_, { path }) => {
        const run = found(path);
        if (run["status"] !== "queued" && run["status"] !== "requires_action")
          throw new Refusal(400, { message: `Cannot cancel run with status '${String(run["status"])}'.` });
        kept.put(String(run["id"]), { ...run, status: "cancelled", cancelled_at: seconds(), required_action: null });
        return { ...run, status: "cancelling" };
      }),
    },
    listRunSteps: {
      answer: answering(async (_, { path, search }) => page(await stepsOf(kept, found(path)["id"]), search)),
    },
    getRunStep: {
      answer: answering((_, { path }) => {
        const step = kept.get(idAt(path, 5));
        if (step?.["object"] !== "thread.run.step" || step["run_id"] !== found(path)["id"])
          throw new Refusal(404, { message: `No run step found with id '${idAt(path, 5)}'.`, param: "step_id" });
        return step;
      }),
    },
  };
}

const streamed = (done: Done, signal: AbortSignal, thread?: Json): Response =>
  new Response(play(runEvents(done, thread), scenarioOf(done.run), signal), {
    headers: { "content-type": "text/event-stream; charset=utf-8" },
  });

/** The outputs by the ids of their calls: one for each that the run waits for. */
async function outputsFor(kept: Kept, run: Json, body: Json): Promise<ReadonlyMap<unknown, unknown>> {
  if (run["status"] !== "requires_action")
    throw new Refusal(400, { message: `Runs in status "${String(run["status"])}" do not accept tool outputs.` });
  if (!Array.isArray(body["tool_outputs"])) throw missing("tool_outputs");
  const outputs = new Map(body["tool_outputs"].filter(isJson).map(({ tool_call_id: id, output }) => [id, output]));
  const waiting = (await stepsOf(kept, run["id"])).filter(({ status }) => status === "in_progress").flatMap(callsOf);
  const without = waiting.find(({ id }) => !outputs.has(id));
  if (without) throw invalid("tool_outputs", `Expected tool outputs for call_ids ['${String(without["id"])}'].`);
  return outputs;
}
