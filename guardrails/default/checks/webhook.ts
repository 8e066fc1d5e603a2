import { type Static, Type } from "@sinclair/typebox";
import { type CheckInput, type Handles, type Json, type Verdict, defineCheck, isJson, maskUrl } from "#contract";
import { ForwardHeaders, forwarded } from "../forward-headers.ts";

const Params = Type.Object({
  webhookURL: Type.String({ pattern: "^https?://", maxLength: 2048, description: "Where the request is POSTed as JSON." }),
  headers: Type.Optional(
    Type.Union([Type.Record(Type.String(), Type.Unknown()), Type.String()], {
      description: "Headers to send: an object, or the same as JSON text. Stored sealed: they often hold a credential.",
      secret: true,
    }),
  ),
  timeout: Type.Number({ default: 3000, minimum: 1, description: "Milliseconds to wait for the answer." }),
  failOnError: Type.Boolean({ default: false, description: "Count an error of the webhook as a failed check." }),
  executeOnProxy: Type.Boolean({
    default: false,
    description: "Asked of requests that pass to a provider as they came, too: with their method, path and content type.",
  }),
  forwardHeaders: ForwardHeaders,
});
type Input = CheckInput<Static<typeof Params>>;

/** Asks a service of the operator's own: `{verdict, transformedData?, data?}`. */
export default (host: Pick<Handles, "fetch">) =>
  defineCheck({
    id: "default.webhook",
    title: "A webhook decides",
    on: ["input", "output"],
    targets: ["llm", "mcp_tools"],
    transforms: true,
    timeoutMs: 3000,
    params: Params,
    judgesPassing: ({ executeOnProxy }) => executeOnProxy,
    problems: ({ headers }) => (headersOf(headers) ? [] : ["headers must be an object, or the JSON text of one."]),
    async run(input) {
      const { params, call, signal } = input;
      const headers = { ...forwarded(params.forwardHeaders, call), ...headersOf(params.headers), "content-type": "application/json" };
      const response = await host.fetch(params.webhookURL, { method: "POST", headers, body: JSON.stringify(asked(input)), signal });
      if (!response.ok) return failed(input, "unavailable", `The webhook answered ${response.status}.`);
      const reply: unknown = await response.json().catch(() => null); // null is refused like any other answer without a verdict
      if (!isJson(reply) || typeof reply["verdict"] !== "boolean")
        return failed(input, "malformed", "The webhook's answer is not JSON with a boolean verdict.");
      return judged(reply, input);
    },
  });

function judged(reply: Json, input: Input): Verdict {
  const verdict = reply["verdict"] === true;
  const explanation = verdict ? "The webhook passed the request." : "The webhook failed the request.";
  const data = { ...shown(input), verdict, explanation, responseData: reply["data"] ?? null };
  if (!verdict) return { verdict: "deny", reason: explanation, data };
  const body = replacement(reply["transformedData"], input.side);
  return body === undefined ? { verdict: "allow", data } : { verdict: "transform", patches: [{ body: body as Json }], data }; // the host refuses what is no object
}

/** The new body the webhook answers for this side, if it answers one. */
function replacement(transformed: unknown, side: Input["side"]): unknown {
  const of = isJson(transformed) ? transformed[side === "input" ? "request" : "response"] : undefined;
  return isJson(of) ? (of["json"] ?? undefined) : undefined;
}

const failed = (input: Input, errorClass: "unavailable" | "malformed", message: string): Verdict => ({
  verdict: "error",
  class: errorClass,
  message,
  data: { ...shown(input), verdict: false, explanation: message },
});
/** It may hold a credential: results show the address without its query, and without what is one by its looks. */
const shown = ({ params: { webhookURL, timeout } }: Input) => ({
  webhookUrl: maskUrl(webhookURL.replace(/[?#].*$/s, "")),
  requestContext: { timeout },
});

function asked({ side, text, call }: Input): Json {
  const input = side === "input";
  return {
    request: {
      json: call.request ?? {},
      text: input ? text : lastText(call.request),
      isStreamingRequest: call.streamed,
      isTransformed: false,
      ...call.passing,
    },
    response: input
      ? { json: {}, text: "", statusCode: null, isTransformed: false }
      : { json: call.response ?? {}, text, statusCode: call.status, isTransformed: false },
    provider: call.provider,
    requestType: call.requestType,
    metadata: call.metadata,
    eventType: input ? "beforeRequestHook" : "afterRequestHook",
  };
}

/** The request's text as the output side knows it: its prompt, its input, or its last message. */
function lastText(request: Json | null): string {
  const { prompt, input, messages } = request ?? {};
  const last: unknown = prompt ?? input ?? (Array.isArray(messages) ? messages.at(-1) : undefined);
  const content = isJson(last) ? last["content"] : last;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts
    .map((part) => (isJson(part) ? part["text"] : part))
    .filter((text) => typeof text === "string")
    .join("\n");
}

/** `undefined` when the text is not a JSON object. */
function headersOf(given: Static<typeof Params>["headers"]): Record<string, string> | undefined {
  const object = typeof given === "string" ? parsedObject(given) : (given ?? {});
  return object && Object.fromEntries(Object.entries(object).map(([name, value]) => [name, String(value)]));
}
function parsedObject(text: string): Json | undefined {
  if (text.trim() === "") return {};
  try {
    const value: unknown = JSON.parse(text);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
