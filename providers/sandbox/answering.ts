import type { Adapter, AdapterInput, Json, OutgoingRequest } from "#contract";
import { pause } from "./play.ts";
import { Refusal } from "./refusal.ts";
import { scenarioOf } from "./scenario.ts";

type Answer = NonNullable<Adapter["answer"]>;
type Handler = (body: Json, ask: AdapterInput, signal: AbortSignal, request: OutgoingRequest) => Promise<Response | Json> | Response | Json;

/** Makes an adapter's answer of a function that returns a body and throws refusals. */
export function answering(handler: Handler): Answer {
  return async (body, ask, signal, request) => {
    signal.throwIfAborted();
    try {
      const answer = await handler(body ?? {}, ask, signal, request);
      return answer instanceof Response ? answer : Response.json(answer);
    } catch (thrown) {
      if (thrown instanceof Refusal) return thrown.response();
      throw thrown;
    }
  };
}

/** The same for operations that are slow, or fail, when their model or the member `sandbox` says so. */
export const obeying = (handler: Handler): Answer =>
  answering(async (body, ask, signal, request) => {
    const { latency_ms, error } = scenarioOf(body);
    await pause(latency_ms ?? 0, signal);
    if (error) throw new Refusal(error.status, error);
    return handler(body, ask, signal, request);
  });
