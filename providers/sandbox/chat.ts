import type { Adapter, Json } from "#contract";
import { idOf } from "./id.ts";
import { pause, play } from "./play.ts";
import { answering } from "./answering.ts";
import { Refusal } from "./refusal.ts";
import { type Scenario, scenarioOf } from "./scenario.ts";
import { speechOf } from "./speech.ts";
import { completion, frames, type Head, wantsUsage } from "./wire.ts";

/** Chat completions of the offline model. */
export const chat = (now: () => number): Adapter => ({
  answer: answering(async (body, _ask, signal) => {
    const scenario = scenarioOf(body);
    await pause(scenario.latency_ms ?? 0, signal);
    if (scenario.error) throw new Refusal(scenario.error.status, scenario.error);
    const id = idOf(body);
    const head: Head = { id: `chatcmpl-${id}`, created: Math.floor(now() / 1000), model: String(body["model"] ?? "sandbox-echo") };
    return body["stream"] === true ? streamed(body, scenario, head, id, signal) : whole(body, scenario, head, id);
  }),
});

async function whole(body: Json, scenario: Scenario, head: Head, id: string): Promise<Response> {
  if (scenario.error_after !== undefined) throw new Refusal(500, { message: "The sandbox was asked to fail here." });
  const text = JSON.stringify(completion(await speechOf(body, scenario, id), head));
  const cut = scenario.empty ? 0 : (scenario.cut_after ?? scenario.reset_after) === undefined ? text.length : Math.floor(text.length / 2);
  return new Response(text.slice(0, cut), { headers: { "content-type": "application/json" } });
}

async function streamed(body: Json, scenario: Scenario, head: Head, id: string, signal: AbortSignal): Promise<Response> {
  const wire = frames(await speechOf(body, scenario, id), head, wantsUsage(body));
  return new Response(play(wire, scenario, signal), { headers: { "content-type": "text/event-stream; charset=utf-8" } });
}
