import { type Static, Type } from "@sinclair/typebox";
import type { TextFinding } from "#contract";
import type { Params } from "./params.ts";

const Scores = Type.Optional(Type.Union([Type.Record(Type.String(), Type.Number()), Type.Null()]));
/** What the vendor found in one text. Names of members differ between its releases. */
export const Extraction = Type.Object({
  data: Type.Optional(Type.String()),
  exploits: Scores,
  topics: Scores,
  malcontents: Scores,
  languages: Scores,
  PIIs: Scores,
  piIs: Scores,
  secrets: Scores,
});
type Extraction = Static<typeof Extraction>;

/** A detector by score: the parameter that switches it, and where its score may stand. */
const BY_SCORE = {
  prompt_injection: ["exploits", ["prompt_injection"]],
  jail_break: ["exploits", ["jail_break", "jailbreak"]],
  malicious_url: ["exploits", ["malicious_url"]],
  toxic: ["malcontents", ["toxic"]],
  biased: ["malcontents", ["biased"]],
  harmful: ["malcontents", ["harmful", "harmful_content"]],
} as const satisfies Partial<Record<keyof Params, readonly [keyof Extraction, readonly string[]]>>;
/** A language is told, not scored against a bound of the check's. */
const LANGUAGE_SCORE = 0.5;

/** What the check's detectors say of one text; `rest` is the vendor's text without what was to be redacted. */
export function findingOf(extraction: Extraction, params: Params): TextFinding {
  const scored = Object.entries(BY_SCORE).flatMap(([detector, [member, names]]) =>
    isAbove(extraction, detector as keyof typeof BY_SCORE, member, names, params) ? detector : [],
  );
  const languages = params.language && scoreOf(extraction.languages, [params.language_values]) >= LANGUAGE_SCORE ? ["language"] : [];
  const pii = params.pii && someOf({ ...extraction.PIIs, ...extraction.piIs }, params.pii_categories);
  const secrets = params.secrets && someOf(extraction.secrets, params.secrets_categories);
  const others = [
    ...scored,
    ...languages,
    ...(pii && !params.pii_redact ? ["pii"] : []),
    ...(secrets && !params.secrets_redact ? ["secrets"] : []),
  ];
  const redactable = [...(pii && params.pii_redact ? ["pii"] : []), ...(secrets && params.secrets_redact ? ["secrets"] : [])];
  const found = [...others, ...redactable];
  if (found.length === 0) return { reason: null };
  const finding = { reason: `Found: ${found.join(", ")}.`, data: { guards: found } };
  return others.length === 0 && extraction.data !== undefined ? { ...finding, redacted: extraction.data } : finding;
}

function isAbove(
  extraction: Extraction,
  detector: keyof typeof BY_SCORE,
  member: "exploits" | "malcontents",
  names: readonly string[],
  params: Params,
): boolean {
  if (!params[detector]) return false;
  const score = Math.max(
    scoreOf(extraction[member], names),
    scoreOf(
      extraction.topics,
      names.map((name) => `content/${name}`),
    ),
  );
  return score >= params[`${detector}_threshold`] && score > 0;
}

/** Names are compared as the vendor writes them, whatever their case. */
function scoreOf(scores: Readonly<Record<string, number>> | null | undefined, names: readonly string[]): number {
  const wanted = new Set(names);
  return Math.max(0, ...Object.entries(scores ?? {}).flatMap(([name, score]) => (wanted.has(name.toLowerCase()) ? score : [])));
}
const someOf = (found: Readonly<Record<string, number>> | null | undefined, categories: readonly string[]): boolean =>
  categories.some((category) => Object.keys(found ?? {}).some((name) => name.toLowerCase() === category));
