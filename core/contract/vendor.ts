import type { Static, TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import type { Handles } from "./capability.ts";
import { messageOf } from "./errors.ts";
import { forwarded } from "./forward-headers.ts";
import type { CheckInput, ErrorClass } from "./guardrail.ts";
import type { Json } from "./json.ts";

const BRAND = Symbol.for("ai-gateway.check-fault");

/** Thrown by a check that cannot judge: an error verdict of that class. Branded, so that it is known from any copy of this module. */
export class CheckFault extends Error {
  readonly [BRAND] = true;
  override readonly name = "CheckFault";
  constructor(
    readonly errorClass: ErrorClass,
    message: string,
  ) {
    super(message);
  }
  static is(thrown: unknown): thrown is CheckFault {
    return typeof thrown === "object" && thrown !== null && BRAND in thrown;
  }
}

/** What a status other than 2xx says of the vendor, or of our account with it. */
const STATUS_CLASS: Readonly<Record<number, ErrorClass>> = {
  400: "malformed",
  401: "auth",
  403: "auth",
  404: "config",
  408: "timeout",
  413: "budget", // the text is too long for it: whoever writes more than a vendor takes is not let through
  422: "malformed",
};
/** Maximum bytes of what a check is told by a service that it asks, unless it says more: while it is parsed, others wait. */
export const MAX_CHECK_ANSWER = 1024 * 1024;

/** One question to a vendor. */
export interface VendorRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  /** JSON, or a text as it stands. */
  readonly body: Json | string;
  /** What the check was given: its signal, and the headers of the request that its parameter `forwardHeaders` names. */
  readonly input: Pick<CheckInput<unknown>, "params" | "call" | "signal">;
  /** Throws where a good answer is not the service's own; asked before anything of it is read. */
  readonly verify?: (headers: Headers, text: string) => void;
}

/** The parameter, of checks that have it: the host judged it. */
const namesIn = (params: unknown): readonly string[] | undefined =>
  (params as { readonly forwardHeaders?: readonly string[] }).forwardHeaders;

/**
 * Makes the function by which a check asks its vendor: POSTs the body, reads at most 1 MB, and gives the answer when it is
 * of the declared shape. Everything else (401, 5xx, other JSON, too much of it) throws as an error of its class. The deadline is the
 * check's, and passes with its signal. `who` is the check's id.
 */
export function vendorCall<R extends TSchema>(
  { fetch }: Pick<Handles, "fetch">,
  who: string,
  reply: R,
): (request: VendorRequest) => Promise<Static<R>> {
  let accepts: TypeCheck<R> | undefined; // compiled when somebody asks: most packs of a deployment are not used in it
  return async ({ url, headers, body, verify, input: { params, call, signal } }) => {
    const response = await fetch(url, {
      method: "POST",
      headers: { ...forwarded(namesIn(params), call), "content-type": "application/json", ...headers },
      body: typeof body === "string" ? body : JSON.stringify(body),
      signal,
    });
    if (!response.ok) throw await refusal(response, who);
    const text = await boundedText(response, who);
    verify?.(response.headers, text);
    const answer = jsonOf(text, who);
    accepts ??= TypeCompiler.Compile(reply);
    if (accepts.Check(answer)) return answer;
    throw new CheckFault("malformed", `${who}: the service's answer is not of its documented shape`);
  };
}

async function refusal(response: Response, who: string): Promise<CheckFault> {
  await response.body?.cancel(); // what it says of it may hold what it was asked
  return new CheckFault(STATUS_CLASS[response.status] ?? "unavailable", `${who}: the service answered ${response.status}`);
}

function jsonOf(text: string, who: string): unknown {
  try {
    return JSON.parse(text);
  } catch (thrown) {
    throw new CheckFault("malformed", `${who}: the service's answer is not JSON: ${messageOf(thrown)}`);
  }
}

async function boundedText(response: Response, who: string): Promise<string> {
  const decoder = new TextDecoder();
  let text = "";
  let size = 0;
  for await (const bytes of response.body ?? []) {
    size += bytes.length;
    if (size > MAX_CHECK_ANSWER) throw new CheckFault("malformed", `${who}: the service's answer is larger than 1 MB`); // leaving the loop cancels the body
    text += decoder.decode(bytes, { stream: true });
  }
  return text + decoder.decode();
}
