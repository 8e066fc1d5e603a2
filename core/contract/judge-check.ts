import type { Catalog } from "./capability.ts";
import { GatewayError } from "./errors.ts";
import type { GuardrailTarget } from "./guardrail.ts";
import { forwardProblem, type HeaderClasses } from "./header-class.ts";
import type { Json } from "./json.ts";
import { knownNames } from "./nearest.ts";
import { tenantOf } from "./request.ts";

/** A check as somebody wrote it down, before it is saved. */
export interface WrittenCheck {
  readonly id: string;
  readonly parameters?: Json;
  /** Parameters that are kept elsewhere. */
  readonly mapped?: ReadonlySet<string>;
}

/** Who judges it, and for whom. */
interface Judging {
  readonly catalog: Catalog;
  readonly workspaceId: string | null;
  readonly organisationId: string;
}

/**
 * Throws unless an enabled plugin provides the check, it may guard this target, and its parameters are right.
 * Saved guardrails and guardrails written inside configs are judged alike. `at` is where the check stands.
 */
export async function judgeCheck(
  written: WrittenCheck,
  target: GuardrailTarget,
  { catalog, ...judging }: Judging,
  at: string,
): Promise<void> {
  const check = catalog.check(written.id);
  if (!check) throw unknownCheck(written.id, catalog.checks(), `${at}.id`);
  if (!check.targets.includes(target)) {
    throw invalid(`The check ${written.id} cannot guard ${target}; it guards ${check.targets.join(", ")}.`, `${at}.id`);
  }
  const parameters = written.parameters ?? {};
  judgeForwardHeaders(parameters["forwardHeaders"], catalog.headers, `${at}.parameters.forwardHeaders`);
  const problems = await check.problems(parameters, tenantOf(judging), written.mapped);
  if (problems.length === 0) return;
  const member = check.wrongMember(parameters);
  const param = member === undefined ? `${at}.parameters` : `${at}.parameters.${member}`;
  throw invalid(`The parameters of the check ${written.id} are not valid: ${problems.join("; ")}.`, param);
}
/** No plugin that runs provides it. */
export function unknownCheck(id: string, checks: Iterable<{ readonly id: string }>, param?: string): GatewayError {
  const names = knownNames(
    "Enabled checks",
    id,
    [...checks].map((check) => check.id),
  );
  return new GatewayError("CHECK_UNKNOWN", { check: id.slice(0, MAX_SHOWN), known: names }, param === undefined ? {} : { param });
}
const MAX_SHOWN = 200;
const invalid = (what: string, param: string): GatewayError => new GatewayError("REQUEST_INVALID", { what }, { param });

/** Restricted header names and names that are no header names are refused at save. */
function judgeForwardHeaders(names: unknown, headers: HeaderClasses, at: string): void {
  if (!Array.isArray(names)) return; // of another type: the check's own schema says so
  names.forEach((name, i) => {
    const why = forwardProblem(String(name), headers);
    if (why) throw invalid(`The header ${String(name).slice(0, 80)} may not be forwarded: ${why}.`, `${at}[${i}]`);
  });
}
