import { Type } from "@sinclair/typebox";
import { type Handles, type Verdict, defineCheck, maskUrl } from "#contract";
import { ForwardHeaders, forwarded } from "#contract";
import { headerProblems, headersOf, HeadersToSend } from "../headers-parameter.ts";
import { discarded } from "../outbound.ts";
import { payloadOf } from "../payload.ts";

/** Sends requests and answers to a service of the operator's own, which has no say in them. */
export default (host: Pick<Handles, "fetch">) =>
  defineCheck({
    id: "default.log",
    title: "The answer is sent to a log of yours",
    on: ["output"],
    params: Type.Object({
      logURL: Type.String({
        pattern: "^https?://",
        maxLength: 2048,
        description: "Where the request and its answer are POSTed as JSON, in the form a webhook gets them.",
      }),
      headers: HeadersToSend,
      forwardHeaders: ForwardHeaders,
    }),
    problems: ({ headers }) => headerProblems("headers", headers),
    async run(input): Promise<Verdict> {
      const { params, call, signal } = input;
      const headers = { ...forwarded(params.forwardHeaders, call), ...headersOf(params.headers), "content-type": "application/json" };
      const response = await host.fetch(params.logURL, { method: "POST", headers, body: JSON.stringify(payloadOf(input)), signal });
      await discarded(response);
      const logUrl = maskUrl(params.logURL.replace(/[?#].*$/s, ""));
      const explanation = response.ok ? "The log has taken it." : `The log answered ${response.status}.`;
      const data = { verdict: true, logUrl, explanation };
      return response.ok ? { verdict: "allow", data } : { verdict: "error", class: "unavailable", message: explanation, data };
    },
  });
