import { type Static, Type } from "@sinclair/typebox";
import { isJson, type TextFinding } from "#contract";

export const Reply = Type.Object({
  action: Type.Union([Type.Literal("NONE"), Type.Literal("GUARDRAIL_INTERVENED")]),
  outputs: Type.Optional(Type.Array(Type.Object({ text: Type.Optional(Type.String()) }))),
  assessments: Type.Optional(Type.Array(Type.Record(Type.String(), Type.Unknown()))),
});
type Reply = Static<typeof Reply>;

/** One thing that a policy of the guardrail found, and what it did about it. */
interface Hit {
  readonly policy: string;
  readonly action: string;
  /** What stood in the text, of personal data. */
  readonly match: string | undefined;
  /** What it is called there. */
  readonly name: string;
}

/** The policy of personal data: what it finds can be taken out. */
const PERSONAL = "sensitiveInformationPolicy";
const DONE_NOTHING: ReadonlySet<string> = new Set(["NONE", "DETECTED"]);

/** What the vendor's answer says of one text. What an intervention did and does not say counts as blocked. */
export function findingOf(text: string, reply: Reply, redact: boolean): TextFinding {
  if (reply.action === "NONE") return { reason: null };
  const hits = (reply.assessments ?? []).flatMap(hitsIn);
  const data = { action: reply.action, found: hits.map(({ policy, action, name }) => ({ policy, action, name })) };
  const blocked = hits.filter(({ action }) => action === "BLOCKED");
  const others = blocked.filter(({ policy }) => policy !== PERSONAL);
  const personal = hits.filter(({ policy }) => policy === PERSONAL);
  const reason = `The guardrail intervened: ${[...new Set((blocked.length > 0 ? blocked : hits).map(({ name }) => name))].join(", ") || "it does not say why"}.`;
  if (hits.length === 0 || others.length > 0) return { reason, data };
  if (redact && personal.length > 0) return withRedacted(redacted(text, personal, reply), text, { reason, data });
  return blocked.length > 0 ? { reason, data } : { reason: null, data };
}

function withRedacted(redacted: string | undefined, text: string, finding: TextFinding): TextFinding {
  return redacted === undefined || redacted === text ? finding : { ...finding, redacted };
}

/** The vendor's own text where it only masked; else each match by its name, for what it gives back then is a refusal. */
function redacted(text: string, personal: readonly Hit[], { outputs }: Reply): string | undefined {
  if (personal.every(({ action }) => action === "ANONYMIZED")) return outputs?.[0]?.text;
  if (personal.some(({ match }) => match === undefined || match === "")) return undefined;
  return personal.reduce((left, { match = "", name }) => left.replaceAll(match, () => `{${name}}`), text);
}

/** Every finding of an assessment: policies hold lists of them under names of their own. */
function hitsIn(assessment: Readonly<Record<string, unknown>>): readonly Hit[] {
  return Object.entries(assessment).flatMap(([policy, lists]) =>
    isJson(lists)
      ? Object.values(lists).flatMap((list) => (Array.isArray(list) ? list.flatMap((of: unknown) => hitOf(policy, of)) : []))
      : [],
  );
}
function hitOf(policy: string, of: unknown): readonly Hit[] {
  if (!isJson(of) || typeof of["action"] !== "string" || DONE_NOTHING.has(of["action"])) return [];
  const { action, match, name, type } = of;
  return [{ policy, action: String(action), match: typeof match === "string" ? match : undefined, name: String(type ?? name ?? policy) }];
}
