import { Type } from "@sinclair/typebox";
import type { Handles } from "./capability.ts";
import type { Asker, InnerAsk } from "./dispatch.ts";
import type { ErrorClass } from "./guardrail.ts";
import { isJson, type Json } from "./json.ts";
import type { Caller } from "./request.ts";
import { CheckFault } from "./vendor.ts";

/* What checks that ask a model of this gateway (`host.dispatch`) have in common. */

/** A model did not answer. Its class is the check's error; its status says more to who may ask in another way. */
export class ModelRefused extends CheckFault {
  constructor(
    readonly status: number,
    message: string,
  ) {
    super(classOf(status), message);
  }
}

/**
 * What a status says. Of the others, the model is away: `unavailable`. What a client can bring about, with its text or by
 * asking often, is of a class that keeps a denying guardrail shut.
 */
const CLASS: Readonly<Record<number, ErrorClass>> = {
  400: "budget", // a provider's filter answers so as well
  401: "auth",
  403: "auth",
  404: "config",
  408: "budget", // a text may ask for more than a model can say in its time
  412: "busy",
  413: "budget",
  422: "budget",
  429: "busy", // the limits of the client's own key hold for what is asked within its requests
  446: "budget", // guardrails denied what was asked: the text kept the model from judging it
  504: "budget",
};
const classOf = (status: number): ErrorClass => CLASS[status] ?? "unavailable";

/** What a model answered, and the id of the call's record in the log. */
export interface ModelAnswer {
  readonly body: Json;
  readonly requestId: string | null;
}

/** How long a model may take, by the clock of the check that asks it. */
interface Within {
  readonly by: string;
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
}
/** Before the engine says that there was no answer, we say why: a text may be what makes a model think for so long. */
export async function inModelTime<T>({ by, timeoutMs, signal }: Within, ask: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const late = Promise.withResolvers<never>();
  const stop = new AbortController();
  const tell = (): void => {
    late.reject(new CheckFault("budget", `${by}: the model did not answer within ${timeoutMs} ms`));
    stop.abort();
  };
  const timer = setTimeout(tell, Math.max(1, timeoutMs - EARLIER_MS));
  try {
    return await Promise.race([ask(AbortSignal.any([signal, stop.signal])), late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
const EARLIER_MS = 5;

/** Asks a model and gives its answer's JSON; everything else throws as an error of its class. Which record tells more, the message says. */
export async function modelAnswer({ dispatch }: Pick<Handles, "dispatch">, ask: InnerAsk, as: Caller | Asker): Promise<ModelAnswer> {
  const response = await dispatch(ask, as);
  const text = await response.text();
  const requestId = response.headers.get("x-gateway-request-id");
  if (!response.ok) {
    const record = requestId === null ? "" : `; its log record is ${requestId}`;
    throw new ModelRefused(response.status, `${ask.by}: the model's answer was ${response.status}${said(jsonOf(text))}${record}`);
  }
  const body = jsonOf(text);
  if (isJson(body)) return { body, requestId };
  throw new CheckFault("malformed", `${ask.by}: the model's answer is no JSON object`);
}

/** The sentence of an error, in part. */
function said(body: unknown): string {
  const error = isJson(body) ? body["error"] : undefined;
  const message = isJson(error) ? error["message"] : undefined;
  return typeof message === "string" && message !== "" ? ` (${message.slice(0, MAX_SAID)})` : "";
}
const MAX_SAID = 300;

function jsonOf(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no JSON is none of an answer's forms
  }
}

/** Which model a check asks: parameters of every such check. */
export const modelParams = () => ({
  model: Type.Optional(
    Type.String({
      ...{ minLength: 1, maxLength: 512 },
      description:
        "Model that is asked: `@slug/model` of a provider saved in the workspace, or the model's name beside `provider` or `config`.",
    }),
  ),
  provider: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "Provider id or `@slug`, where neither the model nor a config says it." }),
  ),
  config: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 255,
      pattern: "^[^{]",
      description: "Slug or id of a saved config that says where the question goes.",
    }),
  ),
});
export interface ModelParams {
  readonly model?: string;
  readonly provider?: string;
  readonly config?: string;
}

/** What is wrong with them, as sentences. */
export function modelProblems({ model, provider, config }: ModelParams): readonly string[] {
  if (config !== undefined) return [];
  if (model === undefined) return ["say which model is asked: model, or config"];
  if (provider !== undefined || /^@[^/]+\/./.test(model)) return [];
  return ["say whose the model is: @slug/model, or provider, or config"];
}

/** Where a question of these parameters goes, as members of an `InnerAsk`. */
export const modelPlace = ({ provider, config }: ModelParams): Pick<InnerAsk, "provider" | "config"> => ({ provider, config });
