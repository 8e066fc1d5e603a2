import type { Call, HeaderClasses, Outcome, Plan, RequestHeaders, WireError } from "#contract";
import type { OwnKeys } from "../../kernel/secrets/own-keys.ts";

/** What finds the gateway's keys in what is told of a request. */
interface Hiding {
  readonly ownKeys: Pick<OwnKeys, "hide">;
  readonly headers: HeaderClasses;
}

/**
 * A client may have put a key of the gateway into any header, name or address: no record keeps it. Of the bodies the
 * caller's own key is taken out where they are cut; headers that are credentials by their name, exporters mask.
 */
export function withoutOwnKeys(outcome: Outcome, by: Hiding): Outcome {
  const { hide } = by.ownKeys;
  return {
    ...outcome,
    call: shownCall(outcome.call, by),
    plan: outcome.plan && shownPlan(outcome.plan, hide),
    error: outcome.error && shownError(outcome.error, hide),
    model: outcome.model && hide(outcome.model),
    bodies: outcome.bodies && { ...outcome.bodies, upstreamUrl: outcome.bodies.upstreamUrl && hide(outcome.bodies.upstreamUrl) },
  };
}
type Hide = (text: string) => string;

function shownCall(call: Call, { ownKeys: { hide }, headers }: Hiding): Call {
  return {
    ...call,
    path: hide(call.path),
    search: call.search === "" ? "" : hide(call.search),
    traceId: call.traceId === call.id ? call.id : hide(call.traceId),
    control: shownControl(call.control, hide),
    headers: shownHeaders(call.headers, headers, hide),
  };
}

/** The names of spans are the only texts of it that records keep. */
function shownControl(control: Call["control"], hide: Hide): Call["control"] {
  const { spanId, spanName, parentSpanId } = control;
  if (spanId === undefined && spanName === undefined && parentSpanId === undefined) return control;
  return { ...control, ...shownTexts({ spanId, spanName, parentSpanId }, hide) };
}

function shownHeaders(headers: RequestHeaders, classes: HeaderClasses, hide: Hide): RequestHeaders {
  const shown: [name: string, value: string][] = [];
  headers.forEach((value, name) => {
    const withoutKeys = classes.of(name).class === "credential" ? value : hide(value);
    if (withoutKeys !== value) shown.push([name, withoutKeys]);
  });
  if (shown.length === 0) return headers;
  const copy = new Headers();
  headers.forEach((value, name) => copy.set(name, value));
  for (const [name, value] of shown) copy.set(name, value);
  return copy;
}

const shownPlan = (plan: Plan, hide: Hide): Plan => ({
  ...plan,
  metadata: shownTexts(plan.metadata, hide),
  model: plan.model && hide(plan.model),
});
const shownError = ({ message, type, param, code }: WireError, hide: Hide): WireError => ({
  message: hide(message),
  type: hide(type),
  param: param && hide(param),
  code: code && hide(code),
});
const shownTexts = <V extends string | undefined>(texts: Readonly<Record<string, V>>, hide: Hide): Record<string, string> =>
  Object.fromEntries(Object.entries(texts).flatMap(([name, text]) => (text === undefined ? [] : [[hide(name), hide(text)]])));
