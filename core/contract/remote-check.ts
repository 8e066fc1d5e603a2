import type { Static, TSchema } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import type { Handles } from "./capability.ts";
import { GatewayError, messageOf } from "./errors.ts";
import { type Check, type CheckInput, type ErrorClass, type RemoteCheck, type Verdict, defineCheck } from "./guardrail.ts";

const fail = (errorClass: ErrorClass, message: string): Verdict => ({ verdict: "error", class: errorClass, message });

const STATUS_CLASS: Readonly<Record<number, ErrorClass>> = {
  400: "malformed",
  401: "auth",
  403: "auth",
  404: "config",
  408: "timeout",
  422: "malformed",
};

/**
 * Makes a check out of a vendor's HTTP protocol. POSTs `ask` as JSON with the check's own deadline, judges a reply of
 * the declared shape, and turns everything else (timeout, 401, 5xx, other JSON) into its error class.
 */
export function remoteCheck<P extends TSchema, R extends TSchema>(host: Pick<Handles, "fetch">, remote: RemoteCheck<P, R>): Check {
  const { url, headers, ask, reply, judge, ...check } = remote;
  const accepts = TypeCompiler.Compile(reply);
  return defineCheck<P>({
    ...check,
    async run(input: CheckInput<Static<P>>): Promise<Verdict> {
      const response = await host.fetch(url(input), {
        method: "POST",
        headers: { ...(await headers(input)), "content-type": "application/json" },
        body: JSON.stringify(ask(input)),
        signal: input.signal,
      });
      if (!response.ok) return fail(STATUS_CLASS[response.status] ?? "unavailable", `${check.id}: the service answered ${response.status}`);
      const body: unknown = await response.json().catch((thrown: unknown) => new GatewayError("BODY_NOT_JSON", { why: messageOf(thrown) }));
      if (!accepts.Check(body)) return fail("malformed", `${check.id}: the service's answer is not of its documented shape`);
      return judge(body, input);
    },
  });
}
