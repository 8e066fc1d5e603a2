import { isJson, type Json, SHORTHAND_MEMBERS } from "#contract";

/* Guardrails written out inside a config: where their checks stand, in both forms. */

export const GUARDRAIL_MEMBERS = [
  "input_guardrails",
  "output_guardrails",
  "input_mutators",
  "output_mutators",
  "before_request_hooks",
  "after_request_hooks",
] as const;
const GUARDRAILS: ReadonlySet<string> = new Set(GUARDRAIL_MEMBERS);

export interface InlineCheck {
  readonly id: string;
  /** Where it stands. */
  readonly at: string;
  /** What stands in the place of its parameters; an object when it is as it should be. */
  readonly parameters: unknown;
  /** Writes other parameters of the same names into the config that was read. */
  replace(parameters: Json): void;
}

const listAt = (json: Json, member: string): readonly unknown[] => (Array.isArray(json[member]) ? json[member] : []);

/** The checks of every inline guardrail of a config and its targets. */
export function* inlineChecks(level: Json, at = "config"): Generator<InlineCheck> {
  for (const member of GUARDRAIL_MEMBERS) {
    for (const [i, entry] of listAt(level, member).entries()) if (isJson(entry)) yield* checksOf(entry, `${at}.${member}[${i}]`);
  }
  for (const [i, target] of listAt(level, "targets").entries()) if (isJson(target)) yield* inlineChecks(target, `${at}.targets[${i}]`);
}

/** The config and its targets without guardrails: what is left goes to providers. */
export function withoutGuardrails(level: Json): Json {
  const { targets, ...rest } = level;
  const kept = Object.entries(rest).filter(([member]) => !GUARDRAILS.has(member));
  const below = (target: unknown): unknown => (isJson(target) ? withoutGuardrails(target) : target);
  return { ...Object.fromEntries(kept), ...(Array.isArray(targets) && { targets: targets.map(below) }) };
}

/** The checks of one inline guardrail. What stands in a check's place and is none is among them, for the judge to refuse. */
export const checksOf = (guardrail: Json, at: string): readonly InlineCheck[] =>
  Array.isArray(guardrail["checks"])
    ? guardrail["checks"].map((check: unknown, i) => hookCheck(check, `${at}.checks[${i}]`))
    : Object.entries(guardrail)
        .filter(([name]) => !SHORTHAND_MEMBERS.has(name))
        .map(([name, check]) => shortCheck(name, check, `${at}.${name}`));

const fullId = (id: string): string => (id.includes(".") ? id : `default.${id}`);

function hookCheck(check: unknown, at: string): InlineCheck {
  if (!isJson(check)) return noCheck("", check, at);
  const { id, parameters = {} } = check;
  const replace = (next: Json): void => void (check["parameters"] !== undefined && Object.assign(check, { parameters: next }));
  return { id: fullId(String(id)), at, parameters, replace };
}

function shortCheck(name: string, check: unknown, at: string): InlineCheck {
  if (!isJson(check)) return noCheck(name, check, at);
  const { id, is_enabled: _, ...parameters } = check;
  return { id: fullId(typeof id === "string" ? id : name), at, parameters, replace: (next) => void Object.assign(check, next) };
}

const noCheck = (id: string, parameters: unknown, at: string): InlineCheck => ({ id, at, parameters, replace: () => undefined });
