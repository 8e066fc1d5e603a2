import { isJson, type Json } from "#contract";

/** An entry of a config's mutators as it stands among its guardrails: one that was saved is named by its slug or id. */
export const mutator = (entry: string | Json): Json =>
  isJson(entry) ? { ...entry, type: "mutator" } : { type: "mutator", guardrail: entry };

/** The saved guardrail that such an entry names; undefined where it is written out. */
export const savedMutator = ({ type, guardrail }: Json): string | undefined =>
  type === "mutator" && typeof guardrail === "string" ? guardrail : undefined;
