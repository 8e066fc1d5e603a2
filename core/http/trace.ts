import { randomBytes } from "node:crypto";
import type { Control, RequestHeaders } from "#contract";

/* W3C Trace Context: `traceparent` says the trace that a request belongs to, and its caller's span. */

export interface TraceParent {
  readonly trace: string;
  readonly span: string;
}

/** Ids of zeros alone are none. */
const FORM = /^[0-9a-f]{2}-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-[0-9a-f]{2}$/;

export function traceParentOf(headers: RequestHeaders): TraceParent | undefined {
  const text = headers.get("traceparent");
  if (text === null) return undefined;
  const [, trace, span] = FORM.exec(text) ?? [];
  return trace === undefined || span === undefined ? undefined : { trace, span };
}

/** The request's own span stands below its caller's. What our headers say of it comes first. */
export const inSpan = (control: Control, { span }: TraceParent, method: string, path: string): Control => ({
  ...control,
  spanId: control.spanId ?? randomBytes(8).toString("hex"),
  parentSpanId: control.parentSpanId ?? span,
  spanName: control.spanName ?? `${method} ${path}`.slice(0, MAX_SPAN_NAME),
});
/** As long as x-gateway-span-name may be. */
const MAX_SPAN_NAME = 256;
