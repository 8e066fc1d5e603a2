import type { Catalog } from "./capability.ts";
import { GatewayError } from "./errors.ts";
import type { GuardrailTarget } from "./guardrail.ts";
import type { Json } from "./json.ts";

/** A check as somebody wrote it down, before it is saved. */
export interface WrittenCheck {
  readonly id: string;
  readonly parameters?: Json;
}

/**
 * Throws unless an enabled plugin provides the check, it may guard this target, and its parameters are right.
 * Saved guardrails and guardrails written inside configs are judged alike. `at` is where the check stands.
 */
export function judgeCheck(written: WrittenCheck, target: GuardrailTarget, catalog: Catalog, at: string): void {
  const check = catalog.check(written.id);
  if (!check) throw new GatewayError("CHECK_UNKNOWN", { check: written.id }, { param: `${at}.id` });
  if (!check.targets.includes(target)) {
    throw invalid(`The check ${written.id} cannot guard ${target}; it guards ${check.targets.join(", ")}.`, `${at}.id`);
  }
  const parameters = written.parameters ?? {};
  judgeForwardHeaders(parameters["forwardHeaders"], `${at}.parameters.forwardHeaders`);
  const problems = check.problems(parameters);
  if (problems.length > 0)
    throw invalid(`The parameters of the check ${written.id} are not valid: ${problems.join("; ")}.`, `${at}.parameters`);
}
const invalid = (what: string, param: string): GatewayError => new GatewayError("REQUEST_INVALID", { what }, { param });

const METADATA = [
  "metadata-flavor",
  "metadata",
  "x-aws-ec2-metadata-token",
  "x-aws-ec2-metadata-token-ttl-seconds",
  "x-google-metadata-request",
];
const HOP_BY_HOP = [
  "connection",
  "keep-alive",
  "proxy-authenticate",
  "proxy-connection",
  "te",
  "trailer",
  "transfer-encoding",
  "upgrade",
  "host",
  "content-length",
];
const CREDENTIALS = ["authorization", "x-api-key", "api-key", "ocp-apim-subscription-key", "proxy-authorization", "cookie", "set-cookie"];
/** Header names that reach cloud metadata services; nothing may forward them. */
export const METADATA_HEADERS: ReadonlySet<string> = new Set(METADATA);
const REFUSED: ReadonlySet<string> = new Set([...METADATA, ...HOP_BY_HOP, ...CREDENTIALS]);
const OWN_BUT_FREE: ReadonlySet<string> = new Set(["x-gateway-trace-id", "x-gateway-span-id"]);

/** Specification 2.6: restricted header names and names that are no header names are refused at save. */
function judgeForwardHeaders(names: unknown, at: string): void {
  if (!Array.isArray(names)) return; // of another type: the check's own schema says so
  names.forEach((name, i) => {
    const why = refusal(String(name));
    if (why) throw invalid(`The header ${String(name).slice(0, 80)} may not be forwarded: ${why}.`, `${at}[${i}]`);
  });
}

function refusal(name: string): string | undefined {
  if (!/^[a-z0-9-]+$/.test(name)) return "a header name here has lowercase letters, digits and hyphens";
  if (REFUSED.has(name)) return "it carries credentials, cloud metadata or belongs to the connection";
  return name.startsWith("x-gateway-") && !OWN_BUT_FREE.has(name) ? "it is one of the gateway's own" : undefined;
}
