import type { Check } from "#contract";

/** Spellings that were published for a check and that saved guardrails carry; results name a check as it was written. */
export const ALIASES: Readonly<Record<string, string>> = {
  "default.alllowercase": "default.isAllLowerCase",
  "default.modelwhitelist": "default.modelWhitelist",
};

/** The checks, and each of them again under its other spelling. */
export const withAliases = (checks: readonly Check[]): readonly Check[] => [
  ...checks,
  ...Object.entries(ALIASES).flatMap(([id, of]) => checks.filter((check) => check.id === of).map((check) => ({ ...check, id }))),
];
