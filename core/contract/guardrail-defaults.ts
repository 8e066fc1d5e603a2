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
