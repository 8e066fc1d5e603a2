import type { TSchema } from "@sinclair/typebox";
import { after, all, type Caller, type GeneralParameter, isUuid, type MaybePromise, type RecordOf, type Scope, tenantOf } from "#contract";
import { forwardProblem, GatewayError, Guardrails, type HeaderClasses, type Json, isJson, openSecrets, unknownCheck } from "#contract";
import type { Generation, LoadedCheck } from "../../kernel/generation.ts";
import { type Written, type WrittenCheck, actions, hookCheck, writtenInline } from "./inline.ts";
import type { ActiveGuardrail, BoundCheck, GuardDeps } from "./types.ts";
import { praise } from "./result.ts";
import { wantsOf } from "./scope.ts";

type Saved = RecordOf<typeof Guardrails>;

/**
 * The guardrails a plan names, ready to run, in its order and each once. Without a promise when the records are warm;
 * binding is done once per record and generation.
 */
export function activeGuardrails(
  refs: readonly (string | Json)[],
  caller: Caller,
  deps: GuardDeps,
): MaybePromise<readonly ActiveGuardrail[]> {
  if (refs.length === 0) return NONE;
  const found: MaybePromise<ActiveGuardrail>[] = [];
  for (let at = 0; at < refs.length; at += 1) found.push(bindRef(refs[at] as string | Json, at, caller, deps)); // `at` is within
  return after(all(found), unique);
}
const bindRef = (ref: string | Json, position: number, caller: Caller, deps: GuardDeps): MaybePromise<ActiveGuardrail> =>
  typeof ref === "string" ? saved(ref, caller, deps) : inline(ref, position, caller, deps);
const NONE: readonly ActiveGuardrail[] = [];
const unique = (list: readonly ActiveGuardrail[]): readonly ActiveGuardrail[] => (list.length < 2 ? list : [...new Set(list)]);

/* ── saved guardrails ────────────────────────────────────────────────────────────────────────────────────────── */

function saved(ref: string, caller: Caller, deps: GuardDeps): MaybePromise<ActiveGuardrail> {
  const found = finder(deps.stores.records)(ref, caller);
  return after(found, (record) => ready(record, ref, caller, deps));
}

function ready(record: Saved | undefined, ref: string, caller: Caller, deps: GuardDeps): MaybePromise<ActiveGuardrail> {
  if (record === undefined || !usable(record, caller)) throw new GatewayError("GUARDRAIL_UNKNOWN", { guardrail: ref });
  return (
    boundAlready(deps.checks, record) ?? bindAndKeep(record, fromRecord(record, deps), { deps, from: "saved", tenant: tenantOf(caller) })
  );
}

/** An organisation's guardrail serves all its workspaces, a workspace's only itself and the organisation's own keys. */
const usable = (record: Saved, caller: Caller): boolean =>
  record.organisation_id === caller.organisationId &&
  (record.workspace_id === null || caller.workspaceId === null || record.workspace_id === caller.workspaceId) &&
  record.status === "active" &&
  record.target === "llm";

const fromRecord = (record: Saved, { vault }: Pick<GuardDeps, "vault">): Written => ({
  id: record.slug,
  ...actions(record.actions),
  checks: record.checks
    .map((check) => (check.parameters ? { ...check, parameters: openSecrets(check.parameters, vault) } : check))
    .map(hookCheck)
    .filter(({ enabled }) => enabled !== false),
});

type Finder = (ref: string, caller: Caller) => MaybePromise<Saved | undefined>;
type RecordsHandle = GuardDeps["stores"]["records"];
const finders = new WeakMap<RecordsHandle, Finder>();

/** Look-ups are made once per store: they are what is remembered between requests. */
const finder = (records: RecordsHandle): Finder => finders.get(records) ?? newFinder(records);
function newFinder(records: RecordsHandle): Finder {
  const same = (record: Saved): Saved => record;
  const bySlug = records.lookup(Guardrails, ["organisation_id", "slug"], same);
  const byId = records.lookup(Guardrails, ["id"], same);
  const find: Finder = (ref, caller) => (isUuid(ref) ? byId(ref) : bySlug(caller.organisationId, ref));
  finders.set(records, find);
  return find;
}

/* ── inline guardrails ───────────────────────────────────────────────────────────────────────────────────────── */

function inline(written: Json, position: number, caller: Caller, deps: GuardDeps): MaybePromise<ActiveGuardrail> {
  if (!isJson(written)) throw new GatewayError("REQUEST_INVALID", { what: "A guardrail in a config is a slug or an object." });
  const binding: Binding = { deps, from: "inline", tenant: tenantOf(caller) };
  return boundAlready(deps.checks, written) ?? bindAndKeep(written, writtenInline(written, position), binding);
}

/** Bound guardrails by generation and by the object that says them: both are dropped together with their key. */
const bound = new WeakMap<Generation["checks"], WeakMap<object, ActiveGuardrail>>();
const boundAlready = (checks: Generation["checks"], written: object): ActiveGuardrail | undefined => bound.get(checks)?.get(written);
const bindAndKeep = (key: object, written: Written, binding: Binding): MaybePromise<ActiveGuardrail> =>
  after(bind(written, binding), (guardrail) => keepBound(binding.deps.checks, key, guardrail));
function keepBound(checks: Generation["checks"], written: object, guardrail: ActiveGuardrail): ActiveGuardrail {
  const ofGeneration = bound.get(checks) ?? new WeakMap<object, ActiveGuardrail>();
  bound.set(checks, ofGeneration.set(written, guardrail));
  return guardrail;
}

/* ── binding ─────────────────────────────────────────────────────────────────────────────────────────────────── */

/** For whom and from where a guardrail is bound. */
interface Binding {
  readonly deps: GuardDeps;
  readonly from: "saved" | "inline";
  readonly tenant: string;
}

/** More would be a load on every request by their number alone. */
const MAX_CHECKS = 500;

/** A promise only where parameters take long to judge. */
function bind(written: Written, binding: Binding): MaybePromise<ActiveGuardrail> {
  if (written.checks.length > MAX_CHECKS)
    throw new GatewayError("REQUEST_INVALID", {
      what: `The guardrail ${written.id} has ${written.checks.length} checks; at most ${MAX_CHECKS} are run.`,
    });
  return after(all(written.checks.map((check) => bindCheck(check, written.id, binding))), (checks) => ({
    ...written,
    checks,
    praise: praise(written.onSuccess, checks),
  }));
}

function bindCheck({ id, parameters }: WrittenCheck, guardrail: string, { deps, from, tenant }: Binding): MaybePromise<BoundCheck> {
  const loaded = deps.checks.get(id);
  if (loaded === undefined) return absent(id, parameters, deps, from);
  const params = loaded.defaults(withoutGeneral(parameters, loaded.check.params));
  return after(loaded.problems(params, tenant), (found) => {
    const problems = [...generalProblems(parameters), ...forwardProblems(parameters, deps.headers), ...found];
    if (problems.length === 0) return boundCheck(loaded, params, parameters);
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
    timeoutMs: timeoutOf(params, parameters) ?? check.timeoutMs ?? DEFAULT_TIMEOUT_MS,
    failOnError: failOnErrorOf(parameters),
  };
}
const DEFAULT_TIMEOUT_MS = 5_000;
const LONGEST_TIMEOUT_MS = 600_000;

/** A saved guardrail outlives its plugin and then closes its door; an inline one with an unknown check is a mistake. */
function absent(id: string, parameters: Json, deps: GuardDeps, from: "saved" | "inline"): BoundCheck {
  const installed = deps.plugins.some(({ manifest, provides }) => {
    const ids = [id, ...(manifest.bare ? [`${manifest.id}.${id}`] : [])];
    return ids.some((named) => provides.includes(named) || manifest.provides?.includes(named));
  });
  if (from === "inline" && !installed)
    throw unknownCheck(
      id,
      [...new Set(deps.checks.values())].map(({ check }) => check),
    );
  return {
    id,
    loaded: null,
    params: parameters,
    wants: new Set(),
    scope: "last_message",
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
