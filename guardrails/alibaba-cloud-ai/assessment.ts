import { type Static, Type } from "@sinclair/typebox";
import { CheckFault, type ErrorClass, type TextFinding } from "#contract";

const Text = Type.Optional(Type.Union([Type.String(), Type.Null()]));
const Result = Type.Object({
  Label: Text,
  RiskLevel: Text,
  Ext: Type.Optional(Type.Union([Type.Object({ Desensitization: Text }), Type.Null()])),
});
const Detail = Type.Object({
  Type: Type.String(),
  Level: Text,
  Suggestion: Text,
  Result: Type.Optional(Type.Union([Type.Array(Result), Type.Null()])),
});
type Detail = Static<typeof Detail>;
export const Reply = Type.Object({
  Code: Type.Number(),
  Message: Text,
  Data: Type.Optional(
    Type.Union([Type.Object({ Suggestion: Text, Detail: Type.Optional(Type.Union([Type.Array(Detail), Type.Null()])) }), Type.Null()]),
  ),
});

/** Levels of risk, and those of sensitive data beside them. */
const RANK: Readonly<Record<string, number>> = { none: 0, low: 1, medium: 2, high: 3, s0: 0, s1: 1, s2: 2, s3: 3, s4: 3 };
export type Level = "low" | "medium" | "high";

/** What the vendor's answer says of one text, from a level of risk on. */
export function findingOf({ Code: code, Data: said }: Static<typeof Reply>, level: Level, redact: boolean): TextFinding {
  if (code !== 200) throw new CheckFault(classOf(code), `alibaba-cloud-ai.guard: the service answered ${code}`);
  const details = said?.Detail ?? [];
  const risky = details.filter((detail) => rankOf(detail) >= (RANK[level] ?? 0));
  const data = {
    suggestion: said?.Suggestion ?? null,
    found: risky.map(({ Type: type, Result: found }) => ({ type, labels: labelsOf(found) })),
  };
  const isBlocked = said?.Suggestion === "block";
  if (risky.length === 0 && !isBlocked) return { reason: null, data };
  const reason = `Found: ${risky.map(({ Type: type }) => type).join(", ") || "what the service blocks"}.`;
  const redacted = redact && risky.length > 0 ? withoutSensitive(risky) : undefined;
  return redacted === undefined ? { reason, data } : { reason, redacted, data };
}

/** What an answer of status 200 says in its code. */
function classOf(code: number): ErrorClass {
  if (code === 401 || code === 403) return "auth";
  return code === 408 || code === 429 || code >= 500 ? "unavailable" : "malformed";
}

/** The highest level that a detail names; what is to be blocked without one is of the highest. */
function rankOf({ Level: level, Suggestion: suggestion, Result: found }: Detail): number {
  const ranks = [level, ...(found ?? []).map(({ RiskLevel }) => RiskLevel)].flatMap((of) => RANK[of?.toLowerCase() ?? ""] ?? []);
  return ranks.length > 0 ? Math.max(...ranks) : suggestion === "block" ? 3 : 0;
}
const labelsOf = (found: Detail["Result"]): readonly string[] => (found ?? []).flatMap(({ Label }) => Label ?? []);

/** The vendor's text without sensitive data, where nothing else was found. */
function withoutSensitive(risky: readonly Detail[]): string | undefined {
  if (!risky.every(({ Type: type }) => type === "sensitiveData")) return undefined;
  return risky.flatMap(({ Result: found }) => (found ?? []).flatMap(({ Ext }) => Ext?.Desensitization ?? []))[0];
}
