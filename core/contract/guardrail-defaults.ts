import { callerTerm } from "./caller-term.ts";
import { isJson, type Json } from "./json.ts";

/** Guardrails that every request of an organisation has, and the workspaces that are excluded from them: members of its settings. */
export interface OrganisationGuardrails {
  /** Slugs. */
  readonly input: readonly string[];
  readonly output: readonly string[];
  /** Ids of workspaces. */
  readonly excluded: { readonly input: readonly string[]; readonly output: readonly string[] };
}

/** What an organisation's settings say of default guardrails: `{defaults: {input_guardrails, output_guardrails}, guardrail_exclusions: {input, output}}`. */
export function organisationGuardrails(settings: Json): OrganisationGuardrails {
  const defaults = objectIn(settings, "defaults");
  const excluded = objectIn(settings, "guardrail_exclusions");
  return {
    input: textsIn(defaults, "input_guardrails"),
    output: textsIn(defaults, "output_guardrails"),
    excluded: { input: textsIn(excluded, "input"), output: textsIn(excluded, "output") },
  };
}

const objectIn = (from: Json, member: string): Json => (isJson(from[member]) ? from[member] : {});
const textsIn = (from: Json, member: string): readonly string[] => {
  const list = from[member];
  return Array.isArray(list) ? list.filter((text): text is string => typeof text === "string") : [];
};

/** Guardrails that every request made with a key has: members of its `defaults`. */
export interface KeyGuardrails {
  /** Slugs. */
  readonly input: readonly string[];
  readonly output: readonly string[];
}
/** What the caller's key adds to each request; the same object for the same state of the key. */
export const CallerGuardrails = callerTerm<KeyGuardrails>("guardrails", Object.freeze({ input: [], output: [] }));
export const keyGuardrails = (defaults: Json): KeyGuardrails =>
  Object.freeze({ input: textsIn(defaults, "input_guardrails"), output: textsIn(defaults, "output_guardrails") });
