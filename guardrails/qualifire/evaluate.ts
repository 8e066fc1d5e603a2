import { type Static, type TObject, Type } from "@sinclair/typebox";
import {
  type Check,
  type CheckInput,
  type Handles,
  type Json,
  OneOf,
  questionOf,
  remoteCheck,
  SAID,
  type Side,
  vendorParams,
  type Verdict,
} from "#contract";
import { Credentials } from "./credentials.ts";

export type Host = Pick<Handles, "fetch">;

export const Mode = OneOf(["speed", "balanced", "quality"], { default: "balanced", description: "How thoroughly the vendor looks." });
/** Parameters of every evaluation: the vendor's own take their time. */
export const CALL = vendorParams(10_000);
export const Plain = Type.Object(CALL);
export const WithMode = Type.Object({ mode: Mode, ...CALL });

const Finding = Type.Object({
  name: Type.Optional(Type.String()),
  label: Type.Optional(Type.String()),
  score: Type.Optional(Type.Number()),
  flagged: Type.Optional(Type.Boolean()),
});
const Reply = Type.Object({
  status: Type.String(),
  score: Type.Optional(Type.Number()),
  evaluationResults: Type.Optional(
    Type.Union([Type.Array(Type.Object({ type: Type.Optional(Type.String()), results: Type.Optional(Type.Array(Finding)) })), Type.Null()]),
  ),
});

interface Evaluation<P extends TObject> {
  readonly id: string;
  readonly title: string;
  readonly on: readonly Side[];
  readonly params: P;
  /** What is looked for, and how. */
  checks(params: Static<P>): Json;
  /** What is looked at; default: what is said, and what it answers. */
  content?(input: CheckInput<Static<P>>): Json;
}

/** The vendor's one call: each check has it look for something else. */
export const evaluation = <P extends TObject>(host: Host, { id, title, on, params, checks, content = said }: Evaluation<P>): Check =>
  remoteCheck(host, {
    id,
    title,
    on,
    wants: SAID,
    scope: "turn",
    params,
    credentials: Credentials,
    reply: Reply,
    url: () => "https://api.qualifire.ai/api/v1/evaluation/evaluate",
    headers: (_, { apiKey }) => ({ "x-qualifire-api-key": apiKey }),
    ask: (input) => ({ ...content(input), ...checks(input.params) }),
    judge,
  });

const said = ({ side, text, call }: Pick<CheckInput<unknown>, "side" | "text" | "call">): Json =>
  side === "input" ? { input: text } : { input: questionOf(call.request), output: text };

/** What it quotes of a text is not shown: it may be what was looked for. */
function judge({ status, score, evaluationResults }: Static<typeof Reply>): Verdict {
  const found = (evaluationResults ?? []).flatMap(({ type, results = [] }) =>
    results.map(({ name, label, score, flagged = false }) => ({ type, name, label, score, flagged })),
  );
  const data = { status, score, results: found };
  const flagged = found.filter((of) => of.flagged).map(({ type, name, label }) => name ?? label ?? type ?? "something");
  if (status === "success" && flagged.length === 0) return { verdict: "allow", data };
  return { verdict: "deny", reason: `The evaluation fails${flagged.length > 0 ? `: ${flagged.join(", ").slice(0, 200)}` : ""}.`, data };
}
