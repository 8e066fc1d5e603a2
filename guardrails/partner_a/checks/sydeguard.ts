import { type Static, Type } from "@sinclair/typebox";
import { type Handles, type RemoteCheck, remoteCheck, SAID, type Verdict, vendorParams } from "#contract";
import { Credentials } from "../credentials.ts";

const Threshold = (what: string) =>
  Type.Number({ default: 0.5, minimum: 0, maximum: 1, description: `Score from 0 to 1 above which a text fails as ${what}.` });
const Params = Type.Object({
  prompt_injection_threshold: Threshold("a prompt injection"),
  toxicity_threshold: Threshold("toxic"),
  evasion_threshold: Threshold("an evasion"),
  ...vendorParams(),
});
const Reply = Type.Object({
  score: Type.Optional(Type.Number()),
  category_scores: Type.Array(Type.Object({ category: Type.String(), score: Type.Number(), risk: Type.Optional(Type.Boolean()) })),
  overall_risk: Type.Optional(Type.Boolean()),
});

/** The vendor's categories, and the parameters that bound them. */
const THRESHOLDS = {
  PROMPT_INJECT: "prompt_injection_threshold",
  TOXIC: "toxicity_threshold",
  EVASION: "evasion_threshold",
} as const satisfies Record<string, keyof Static<typeof Params>>;

/** Numbers of two digits are none that a computer has exactly. */
const isStep = (threshold: number): boolean => Math.abs(threshold * 100 - Math.round(threshold * 100)) < 1e-9;

export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "partner_a.sydeguard",
    title: "Prompt injection, toxicity and evasion",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    params: Params,
    problems: (params) =>
      Object.values(THRESHOLDS).flatMap((name) => (isStep(params[name]) ? [] : [`${name} must be a number from 0 to 1 in steps of 0.01`])),
    credentials: Credentials,
    reply: Reply,
    url: () => "https://guard.sydelabs.ai/api/v1/guard/generate-score",
    headers: (_, { apiKey }) => ({ "x-api-key": apiKey }),
    ask: ({ text }) => ({ prompt: text }),
    judge,
  });

const judge: RemoteCheck<typeof Params, typeof Reply>["judge"] = ({ score, category_scores, overall_risk }, { params }): Verdict => {
  const data = { score, category_scores, overall_risk };
  const scores = new Map(category_scores.map((of) => [of.category, of.score]));
  const missing = Object.keys(THRESHOLDS).filter((category) => !scores.has(category));
  const above = Object.entries(THRESHOLDS).flatMap(([category, param]) => ((scores.get(category) ?? 0) > params[param] ? category : []));
  if (above.length > 0) return { verdict: "deny", reason: `Above its threshold: ${above.join(", ")}.`, data };
  if (missing.length > 0)
    return { verdict: "error", class: "malformed", message: `The service gave no score for ${missing.join(", ")}.`, data };
  return { verdict: "allow", data };
};
