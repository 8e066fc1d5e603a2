import { type Static, Type } from "@sinclair/typebox";
import {
  type CheckInput,
  endpointOr,
  type Handles,
  remoteCheck,
  SAID,
  type Segment,
  type TextFinding,
  type Verdict,
  vendorParams,
  verdictOf,
} from "#contract";
import { Credentials } from "../credentials.ts";
import { masked, Piece } from "../mask.ts";

const Params = Type.Object({
  projectID: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "Project whose policy judges; default: the vendor's own." }),
  ),
  endInclusive: Type.Boolean({
    default: false,
    description: "The vendor's places of personal data name their last character, not the one after it.",
  }),
  ...vendorParams(),
});
const Reply = Type.Object({
  flagged: Type.Boolean(),
  payload: Type.Optional(Type.Union([Type.Array(Piece), Type.Null()])),
  breakdown: Type.Optional(Type.Union([Type.Array(Type.Object({ detector_type: Type.String(), detected: Type.Boolean() })), Type.Null()])),
});

/** Personal data alone is masked, and the request goes on; everything else that is flagged fails. */
export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "lakera.guard",
    title: "The policy of a project",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    transforms: true,
    params: Params,
    credentials: Credentials,
    reply: Reply,
    url: (_, { apiBase }) => `${endpointOr(apiBase, "https://api.lakera.ai")}/v2/guard`,
    headers: (_, { apiKey }) => ({ authorization: `Bearer ${apiKey}` }),
    ask: ({ segments, params }) => ({
      messages: segments.map(({ role, text }) => ({ role, content: text })),
      payload: true,
      breakdown: true,
      ...(params.projectID !== undefined && { project_id: params.projectID }),
    }),
    judge,
  });

function judge({ flagged, payload, breakdown }: Static<typeof Reply>, { segments, params }: CheckInput<Static<typeof Params>>): Verdict {
  const detected = (breakdown ?? []).flatMap((of) => (of.detected ? of.detector_type : []));
  const data = { flagged, detected };
  if (!flagged) return { verdict: "allow", data };
  const deny: Verdict = { verdict: "deny", reason: `Flagged${detected.length > 0 ? `: ${detected.join(", ")}` : ""}.`, data };
  if (detected.length === 0 || !detected.every((type) => type.startsWith("pii/")) || (payload ?? []).length === 0) return deny;
  const verdict = verdictOf(
    segments,
    segments.map((segment, index) => findingOf(segment, index, payload ?? [], params.endInclusive)),
  );
  return verdict.verdict === "transform" ? { ...verdict, data } : deny;
}

function findingOf({ text }: Segment, index: number, pieces: readonly Static<typeof Piece>[], endInclusive: boolean): TextFinding {
  const own = pieces.filter(({ message_id }) => (message_id ?? 0) === index);
  if (own.length === 0) return { reason: null };
  const redacted = masked(text, own, endInclusive);
  return redacted === undefined ? { reason: "personal data" } : { reason: "personal data", redacted };
}
