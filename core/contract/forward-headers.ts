import { createHash } from "node:crypto";
import { Type } from "@sinclair/typebox";
import type { CheckCall } from "./guardrail.ts";

/** The parameter `forwardHeaders` of checks that call out. The host judges the names. */
export const ForwardHeaders = Type.Optional(
  Type.Array(Type.String({ pattern: "^[a-z0-9-]+$", maxLength: 256 }), {
    maxItems: 100,
    description: "Names of request headers to pass on, in lower case. Credentials and connection headers may not be named.",
  }),
);

/** The headers of the request that a check asked for, as far as they were sent. */
export function forwarded(names: readonly string[] = [], call: CheckCall): Record<string, string> {
  const sent = names.map((name) => [name, valueFrom(name, call)] as const);
  return Object.fromEntries(sent.filter((pair): pair is readonly [string, string] => pair[1] !== null));
}

const valueFrom = (name: string, call: CheckCall): string | null =>
  call.header(name) ?? (name === "traceparent" && call.traceId !== "" ? traceparent(call.traceId) : null);

/** A W3C trace context that names our trace: a UUID is one already, anything else is hashed into one. */
function traceparent(traceId: string): string {
  const digest = createHash("sha256").update(traceId).digest("hex");
  const hex = traceId.replaceAll("-", "").toLowerCase();
  return `00-${/^[0-9a-f]{32}$/.test(hex) && !/^0+$/.test(hex) ? hex : digest.slice(0, 32)}-${digest.slice(32, 48)}-01`;
}
