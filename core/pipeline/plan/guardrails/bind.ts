import type { TSchema } from "@sinclair/typebox";
import {
  after,
  all,
  type Check,
  forwardProblem,
  GatewayError,
  type GeneralParameter,
  type HeaderClasses,
  isJson,
  type Json,
  type MaybePromise,
  type Scope,
  type SegmentKind,
  unknownCheck,
} from "#contract";
import type { Generation, LoadedCheck } from "../../../kernel/generation.ts";
import type { ActiveGuardrail, BoundCheck } from "./active.ts";
import { praise } from "./feedback.ts";
import { wholeCheck } from "./mapped.ts";
import type { Written, WrittenCheck } from "./inline.ts";

/** What binding looks checks up in. */
export interface BindingParts {
  readonly checks: Generation["checks"];
  readonly plugins: Generation["plugins"];
  /** What a header's name says of it, in this deployment. */
  readonly headers: HeaderClasses;
  /** What a secret reference gives. */
  readonly readReference: Generation["readReference"];
}

/** For whom and from where a guardrail is bound. */
export interface Binding {
  readonly parts: BindingParts;
  readonly from: "saved" | "inline";
  readonly tenant: string;
}

/** More would be a load on every request by their number alone. */
const MAX_CHECKS = 500;

/** A promise only where parameters take long to judge. */
export function bind(written: Written, binding: Binding): MaybePromise<ActiveGuardrail> {
  if (written.checks.length > MAX_CHECKS)
    throw new GatewayError("REQUEST_INVALID", {
      what: `The guardrail ${written.id} has ${written.checks.length} checks; at most ${MAX_CHECKS} are run.`,
    });
  return after(all(written.checks.map((check) => bindCheck(check, written.id, binding))), (checks) => ({
    ...written,
    checks,
    writes: checks.flatMap(({ loaded, params }) => loaded?.check.writesHeaders?.(params as never) ?? []), // its own schema accepted them
    praise: praise(written.onSuccess, checks),
  }));
}

function bindCheck(
  { id, parameters, mappings = [] }: WrittenCheck,
  guardrail: string,
  { parts, from, tenant }: Binding,
): MaybePromise<BoundCheck> {
  const loaded = parts.checks.get(id);
  if (loaded === undefined) return absent(id, parameters, parts, from);
  const params = loaded.defaults(withoutGeneral(parameters, loaded.check.params));
  const mapped = new Set(mappings.map(({ target_field: field }) => field));
  return after(loaded.problems(params, tenant, mapped), (found) => {
    const problems = [...generalProblems(parameters), ...forwardProblems(parameters, parts.headers), ...found];
    const bound = boundCheck(loaded, params, parameters);
    if (problems.length === 0)
      return mapped.size === 0 ? bound : { ...bound, whole: wholeCheck({ loaded, bound, mappings }, parts.readReference) };
    throw new GatewayError("REQUEST_INVALID", {
      what: `The check ${id} of guardrail ${guardrail} has wrong parameters: ${problems.map((problem) => problem.replace(/\.$/, "")).join("; ")}.`,
    });
  });
}

function boundCheck(loaded: LoadedCheck, params: unknown, parameters: Json): BoundCheck {
  const { check } = loaded;
  return {
    id: check.id,
    loaded,
    params,
    wants: wantsOf(check),
    scope: scopeOf(parameters) ?? check.scope ?? "last_message",
    measures: check.measures?.(params as never) === true, // its own schema accepted them
    timeoutMs: timeoutOf(params, parameters) ?? check.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    failOnError: failOnErrorOf(parameters),
  };
}
/** The kinds of segments that a check judges: texts, where it does not say. */
export const wantsOf = (check: Pick<Check, "wants">): ReadonlySet<SegmentKind> => (check.wants ? new Set(check.wants) : TEXT_ONLY);
const TEXT_ONLY: ReadonlySet<SegmentKind> = new Set(["text"]);
const DEFAULT_TIMEOUT_MS = 5_000;
const LONGEST_TIMEOUT_MS = 600_000;

/** A saved guardrail outlives its plugin and then closes its door; an inline one with an unknown check is a mistake. */
function absent(id: string, parameters: Json, parts: BindingParts, from: "saved" | "inline"): BoundCheck {
  const installed = parts.plugins.some(({ manifest, provides }) => {
    const ids = [id, ...(manifest.bare ? [`${manifest.id}.${id}`] : [])];
    return ids.some((named) => provides.includes(named) || manifest.provides?.includes(named));
  });
  if (from === "inline" && !installed)
    throw unknownCheck(
      id,
      [...new Set(parts.checks.values())].map(({ check }) => check),
    );
  return {
    id,
    loaded: null,
    params: parameters,
    wants: new Set(),
    scope: "last_message",
    measures: false,
    timeoutMs: DEFAULT_TIMEOUT_MS,
    failOnError: failOnErrorOf(parameters),
  };
}

/* ── parameters every check has ──────────────────────────────────────────────────────────────────────────────── */

const SCOPES: readonly string[] = ["last_message", "user_messages", "turn", "all_messages"] satisfies readonly Scope[];
const scopeOf = ({ scope }: Json): Scope | undefined =>
  typeof scope === "string" && SCOPES.includes(scope) ? (scope as Scope) : undefined;
const failOnErrorOf = ({ failOnError }: Json): boolean | null => (typeof failOnError === "boolean" ? failOnError : null);
const timeoutOf = (params: unknown, parameters: Json): number | undefined => {
  const timeout = (isJson(params) ? params["timeout"] : undefined) ?? parameters["timeout"];
  return typeof timeout === "number" && timeout > 0 ? Math.min(timeout, LONGEST_TIMEOUT_MS) : undefined;
};

/** The host's own parameters: which of their values make sense. */
const GENERAL: Readonly<Record<GeneralParameter, { readonly fits: (value: unknown) => boolean; readonly say: string }>> = {
  scope: { fits: (value) => typeof value === "string" && SCOPES.includes(value), say: `scope must be one of ${SCOPES.join(", ")}.` },
  timeout: { fits: (value) => typeof value === "number" && value > 0, say: "timeout must be a number of milliseconds above 0." },
  failOnError: { fits: (value) => typeof value === "boolean", say: "failOnError must be true or false." },
};
const generalProblems = (parameters: Json): string[] =>
  Object.entries(GENERAL).flatMap(([name, { fits, say }]) => (parameters[name] === undefined || fits(parameters[name]) ? [] : [say]));

/** What may not be forwarded is refused at save; what was saved before, or stands in a request, is judged here. */
const forwardProblems = ({ forwardHeaders: names }: Json, headers: HeaderClasses): string[] =>
  (Array.isArray(names) ? names : []).flatMap((name) => {
    const why = forwardProblem(String(name), headers);
    return why === undefined ? [] : [`forwardHeaders may not name ${String(name).slice(0, 80)}: ${why}.`];
  });

/** A check that does not declare a general parameter never sees it, so that its schema may be closed. */
function withoutGeneral(parameters: Json, schema: TSchema): Json {
  const declared = isJson(schema["properties"]) ? schema["properties"] : {};
  return Object.fromEntries(Object.entries(parameters).filter(([name]) => !Object.hasOwn(GENERAL, name) || Object.hasOwn(declared, name)));
}
