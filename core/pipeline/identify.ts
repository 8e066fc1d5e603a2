import { type Caller, GatewayError, type IdentifyRequest, type Policy, type RequestHeaders } from "#contract";
import type { Loaded } from "../kernel/generation.ts";
import { PLUGIN_LIMITS, pluginAnswer } from "./in-time.ts";

export type Identify = (headers: RequestHeaders, apiKey: string | undefined) => Caller | Promise<Caller>;

/** Asks the policies who is calling; the first answer wins. No promise is made when the answer is warm. */
export function identifier(policies: readonly Loaded<Policy>[], now: () => number, limitMs = PLUGIN_LIMITS.identify): Identify {
  const asked = policies.filter(({ provides }) => provides.identify);
  return (headers, apiKey) => {
    const key = apiKey ?? bearer(headers);
    if (key === "") throw new GatewayError("KEY_MISSING");
    return firstAnswer({ policies: asked, request: { key, headers, now: now() }, limitMs }, 0);
  };
}

interface Question {
  readonly policies: readonly Loaded<Policy>[];
  readonly request: IdentifyRequest;
  readonly limitMs: number;
}

function firstAnswer(asking: Question, from: number): Caller | Promise<Caller> {
  for (let i = from; i < asking.policies.length; i += 1) {
    const policy = asking.policies[i];
    const answer = pluginAnswer(policy?.provides.identify?.(asking.request), asking.limitMs, policy?.name ?? "");
    if (answer instanceof Promise) return orNext(answer, asking, i + 1);
    if (answer) return answer;
  }
  throw new GatewayError("KEY_UNKNOWN");
}

const orNext = async (answer: Promise<Caller | undefined>, asking: Question, next: number): Promise<Caller> =>
  (await answer) ?? firstAnswer(asking, next);

function bearer(headers: RequestHeaders): string {
  const value = headers.get("authorization") ?? "";
  return value.slice(0, 7).toLowerCase() === "bearer " ? value.slice(7).trim() : "";
}

/** Throws SCOPE_MISSING unless the caller holds one of the scopes. */
export function requireScope(caller: Caller, scope: string | readonly string[], action: string): void {
  const held = typeof scope === "string" ? caller.scopes.has(scope) : scope.some((one) => caller.scopes.has(one));
  if (!held) throw new GatewayError("SCOPE_MISSING", { scope: typeof scope === "string" ? scope : scope.join(" or "), action });
}
