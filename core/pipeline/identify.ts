import {
  type Caller,
  GatewayError,
  type IdentifyRequest,
  type MaybePromise,
  type Policy,
  type RequestHeaders,
  scopeRefusal,
} from "#contract";
import type { Provided } from "../kernel/generation.ts";
import type { OwnKeys } from "../kernel/secrets/own-keys.ts";
import { judgedCallerKey, type KeyHeaders } from "../kernel/secrets/caller-key.ts";
import { entering } from "../kernel/process/watchdog/marks.ts";
import { blaming } from "../kernel/process/plugin-failure.ts";
import { PLUGIN_LIMITS, pluginAnswer } from "../kernel/process/plugin-answer.ts";

export type Identify = (headers: RequestHeaders, apiKey: string | undefined) => Caller | Promise<Caller>;

/** Where callers say their keys, and who remembers those that were accepted. */
export interface CallerKeys {
  readonly own: Pick<OwnKeys, "remember">;
  readonly keyHeaders: KeyHeaders;
}

/** Asks the policies who is calling; the first answer wins. No promise is made when the answer is warm. */
export function identifier(
  policies: readonly Provided<Policy>[],
  now: () => number,
  { own, keyHeaders }: CallerKeys,
  limitMs = PLUGIN_LIMITS.identify,
): Identify {
  const asked = policies.filter(({ provides }) => provides.identify);
  return (headers, apiKey) => {
    if (asked.length === 0) throw new GatewayError("NOT_READY", { why: "no policy runs that could tell who asks" });
    const key = judgedCallerKey(headers, apiKey, keyHeaders);
    if (key === "") throw new GatewayError("KEY_MISSING");
    return firstAnswer({ policies: asked, request: { key, headers, now: now() }, own, limitMs }, 0);
  };
}

interface Question {
  readonly policies: readonly Provided<Policy>[];
  readonly request: IdentifyRequest;
  /** Where a key that was accepted is remembered: it never leaves. */
  readonly own: Pick<OwnKeys, "remember">;
  readonly limitMs: number;
}

function firstAnswer(asking: Question, from: number): Caller | Promise<Caller> {
  for (let i = from; i < asking.policies.length; i += 1) {
    const policy = asking.policies[i];
    entering(policy?.mark);
    let answer: MaybePromise<Caller | undefined>;
    try {
      answer = pluginAnswer(policy?.provides.identify?.(asking.request), asking.limitMs, policy?.name ?? "", policy?.mark ?? 0);
    } catch (thrown) {
      throw blaming(thrown, policy?.name ?? "");
    }
    if (answer instanceof Promise) return orNext(answer, asking, i + 1);
    if (answer) return accepted(answer, asking);
  }
  throw unknownKey(asking.request.key);
}

/** The one mistake that can be told from the key itself. */
const unknownKey = (key: string): GatewayError =>
  new GatewayError("KEY_UNKNOWN", /^bearer\s/i.test(key) ? { why: "in x-gateway-api-key it stands alone, without the word Bearer" } : {});

async function orNext(answer: Promise<Caller | undefined>, asking: Question, next: number): Promise<Caller> {
  const caller = await answer.catch((thrown: unknown) => {
    throw blaming(thrown, asking.policies[next - 1]?.name ?? "");
  });
  return caller ? accepted(caller, asking) : firstAnswer(asking, next);
}

function accepted(caller: Caller, { request, own }: Question): Caller {
  own.remember(request.key);
  return caller;
}

/** Throws unless the caller holds one of the scopes. */
export function requireScope(caller: Caller, scope: string | readonly string[], action: string): void {
  const held = typeof scope === "string" ? caller.scopes.has(scope) : scope.some((alternative) => caller.scopes.has(alternative));
  if (!held) throw scopeRefusal(caller, [scope].flat(), action);
}
