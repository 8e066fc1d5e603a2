import { type Json, type MappedSecret, SHORTHAND_MEMBERS, isJson } from "#contract";
import type { Feedback, GuardrailRules } from "./active.ts";

/** A guardrail as it is written, saved or inline, before its checks are looked up. */
export interface Written extends GuardrailRules {
  readonly checks: readonly WrittenCheck[];
}
export interface WrittenCheck {
  readonly id: string;
  readonly parameters: Json;
  /** Parameters that are kept elsewhere; `target_field` is the parameter's own name. */
  readonly mappings?: readonly MappedSecret[];
}

/**
 * Reads an inline guardrail: the hook form with a list of `checks`, or the shorthand with check ids as members.
 * In the shorthand a check's own `id` wins over its member name, so that one check can stand there twice.
 */
export function writtenInline(inline: Json, position: number): Written {
  const entries = Array.isArray(inline["checks"]) ? inline["checks"].filter(isJson).map(hookCheck) : shorthand(inline);
  return {
    id: typeof inline["id"] === "string" ? inline["id"] : `inline_guardrail_${position + 1}`,
    ...actions(inline),
    checks: entries.filter(isEnabled).map(({ id, parameters }) => ({ id, parameters })),
  };
}

/** What to do with the verdict. A mutator has no verdict to act on. */
export function actions(from: Json): Omit<Written, "id" | "checks"> {
  const acts = from["type"] !== "mutator";
  return {
    isMutator: !acts,
    deny: acts && from["deny"] === true,
    async: acts && from["async"] === true,
    sequential: from["sequential"] === true,
    softDeny: acts && from["soft_deny_200"] === true,
    rollout: from["shadow"] === true ? 0 : numberIn(from, "rollout_percentage", 100),
    onSuccess: feedback(from["on_success"]),
    onFail: feedback(from["on_fail"]),
  };
}

interface Entry extends WrittenCheck {
  readonly enabled: unknown;
}
const isEnabled = ({ enabled }: Entry): boolean => enabled !== false;
const numberIn = (from: Json, member: string, otherwise: number): number => {
  const value = from[member];
  return typeof value === "number" ? value : otherwise;
};
const object = (value: unknown): Json => (isJson(value) ? value : {});

export const hookCheck = (check: Json): Entry => ({
  id: String(check["id"]),
  parameters: object(check["parameters"]),
  enabled: check["is_enabled"],
});

const shorthand = (inline: Json): readonly Entry[] =>
  Object.entries(inline)
    .filter(([name]) => !SHORTHAND_MEMBERS.has(name))
    .map(([name, value]) => {
      const { id, is_enabled: enabled, ...parameters } = object(value);
      return { id: typeof id === "string" ? id : name, parameters, enabled };
    });

function feedback(from: unknown): Feedback | null {
  const given = isJson(from) && isJson(from["feedback"]) ? from["feedback"] : undefined;
  if (given === undefined) return null;
  const metadata = given["metadata"];
  return {
    value: numberIn(given, "value", 0),
    weight: numberIn(given, "weight", 1),
    metadata: typeof metadata === "string" || isJson(metadata) ? metadata : "",
  };
}
