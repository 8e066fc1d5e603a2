import type { Adapter, AdapterInput, Json, OutgoingRequest } from "#contract";
import { Refusal } from "./refusal.ts";

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
