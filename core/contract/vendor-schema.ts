import { Type } from "@sinclair/typebox";
import { ForwardHeaders } from "./forward-headers.ts";
import type { SegmentKind } from "./guardrail.ts";

/* What the parameters of vendors' checks and the accounts with vendors have in common. */

/** Parameters of every check that asks a vendor. */
export const vendorParams = (timeoutMs = 5000) => ({
  timeout: Type.Number({ default: timeoutMs, minimum: 1, description: "Milliseconds to wait for the answer." }),
  forwardHeaders: ForwardHeaders,
});
/** Of one that can go on without what it finds. */
export const RedactParam = Type.Boolean({ default: false, description: "Go on with a text without what was found, instead of failing." });

/** A vendor's key; `env` is the secret that gives it where no tenant keeps an account. */
export const VendorKey = (env: string, description = "API key.") =>
  Type.String({ minLength: 1, maxLength: 65_536, description, secret: true, env });
/** Another address than the vendor's usual one. */
export const VendorEndpoint = (description: string) =>
  Type.Optional(Type.String({ format: "uri", pattern: "^https?://", maxLength: 2048, description, bound: true }));
/** The name of a host that is an account's own; `env` as with a key. */
export const VendorHost = (description: string, more: { readonly env?: string } = {}) =>
  Type.String({ pattern: "^[A-Za-z0-9-]+(\\.[A-Za-z0-9-]+)+$", maxLength: 253, description, bound: true, ...more });
/** Without a slash at its end. */
export const endpointOr = (given: string | undefined, usual: string): string => (given ?? usual).replace(/\/+$/, "");

/** What is said in requests and answers, whoever says it. */
export const SAID: readonly SegmentKind[] = ["text", "tool_call", "tool_result", "reasoning"];
