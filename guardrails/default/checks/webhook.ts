import { type Static, Type } from "@sinclair/typebox";
import {
  type CheckInput,
  ForwardHeaders,
  forwarded,
  GatewayError,
  type Handles,
  type Json,
  type Verdict,
  defineCheck,
  isJson,
  maskUrl,
} from "#contract";
import { headerProblems, headersOf, HeadersToSend } from "../headers-parameter.ts";
import { discarded } from "../outbound.ts";
import { payloadOf } from "../payload.ts";

const Params = Type.Object({
  webhookURL: Type.String({ pattern: "^https?://", maxLength: 2048, description: "Where the request is POSTed as JSON." }),
  headers: HeadersToSend,
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
    problems: ({ headers }) => headerProblems("headers", headers),
    async run(input) {
      const { params, call, signal } = input;
      const headers = { ...forwarded(params.forwardHeaders, call), ...headersOf(params.headers), "content-type": "application/json" };
      const response = await host.fetch(params.webhookURL, { method: "POST", headers, body: JSON.stringify(payloadOf(input)), signal });
      if (!response.ok) {
        await discarded(response);
        return failed(input, "unavailable", `The webhook answered ${response.status}.`);
      }
      const reply: unknown = await response.json().catch((thrown: unknown) => (GatewayError.is(thrown) ? thrown : null)); // null is refused like any other answer without a verdict
      if (GatewayError.is(reply)) return failed(input, "malformed", reply.message);
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
