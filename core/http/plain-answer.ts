import type { Held } from "../kernel/process/memory-budget.ts";
import { textCost } from "../json/memory-cost.ts";
import { inSlices, NOTHING_READ } from "../pipeline/stream/deliver.ts";
import type { Gateway } from "../pipeline/gateway.ts";

/** What an answer needs besides what it says. */
export interface Answering {
  readonly request: Request;
  readonly startedAt: number;
  readonly held: Held;
  readonly gateway: Pick<Gateway, "now" | "stalledMs">;
  /** Headers beside the type. */
  readonly headers: Headers;
  /** The request is over; called once. */
  readonly end: () => void;
}

/** The answer of a plain route; a long one is given to its client slice by slice, and counts against the memory budget until then. */
export function plainAnswer(answer: unknown, answering: Answering): Response {
  const text = answer instanceof Response ? "" : JSON.stringify(answer);
  if (text.length > AT_ONCE) return longAnswer(text, answering);
  answering.end();
  return answer instanceof Response ? answer : new Response(text, asJson(answering));
}
/** Characters that are given to the connection in one go. */
const AT_ONCE = 1024 * 1024;
function asJson({ headers }: Answering): { readonly headers: Headers } {
  headers.set("content-type", "application/json;charset=utf-8");
  return { headers };
}

function longAnswer(text: string, answering: Answering): Response {
  const { request, startedAt, held, gateway, end } = answering;
  held.grow(textCost(text.length));
  const { now, stalledMs } = gateway;
  const delivery = { startedAt, signal: request.signal, now, keptBytes: 0, stalledMs, settle: once(end) };
  return new Response(inSlices(text, { ...NOTHING_READ, ended: "ok" }, delivery), asJson(answering));
}

function once(end: () => void): () => void {
  let ended = false;
  return () => {
    if (!ended) end();
    ended = true;
  };
}
