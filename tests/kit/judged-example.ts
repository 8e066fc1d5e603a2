import type { Check, CheckInput, Json, Segment, Side, Verdict } from "#contract";
import { nothingSpent } from "../../core/compute/allowance.ts";
import { applied, runCheck } from "../../core/pipeline/guard/run.ts";
import { Subject } from "../../core/pipeline/guard/subject.ts";
import type { CheckOutcome } from "../../core/pipeline/guard/types.ts";
import type { BoundCheck } from "../../core/pipeline/plan/guardrails/active.ts";
import { bound, quietDeps } from "./bound-check.ts";
import { callOf } from "./call.ts";
import type { Example } from "./check.ts";
import { hostOnly } from "./host-only.ts";
import { frozen } from "./set-up.ts";
import { lookedAfter } from "./stuck-checks.ts";
import { type Surface, SURFACES } from "./surfaces.ts";

/* Running one check on an example as the engine does, wherever its text stands. */

/** How it is run, where that is not as usual. */
export interface Running {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  readonly surface: Surface;
  /** The body itself, in place of the one that holds the example's text. */
  readonly body: Json;
  /** The client asked for a stream. */
  readonly streamed: boolean;
  readonly scope: BoundCheck["scope"];
}
/** What came of it. */
export interface JudgedExample extends CheckOutcome {
  /** Did it look at more than texts: at the body, the operation, the model? Its verdict may then differ from place to place. */
  readonly readsCall: boolean;
  /** The texts of the body after its patches. */
  readonly after: readonly Segment[];
  /** Does the check apply to this operation? Otherwise nothing ran. */
  readonly suits: boolean;
}

export const sideOf = (check: Check, { side }: Pick<Example, "side">): Side => side ?? (check.on.includes("input") ? "input" : "output");

/** What it is given is frozen, and nothing but its host reaches the network. */
export async function judgedExample(check: Check, example: Example, running: Partial<Running> = {}): Promise<JudgedExample> {
  const noted = { readsCall: false };
  const watched: Check = { ...check, run: (input) => check.run(noting(input, noted)) };
  const { timeoutMs, scope } = running;
  const boundCheck = bound(
    watched,
    example.params,
    { ...(timeoutMs !== undefined && { timeoutMs }), ...(scope && { scope }) },
    example.credentials,
  );
  frozen(boundCheck.params);
  const subject = subjectOf(check, example, running);
  frozen(subject.segmentsFor(boundCheck));
  const run = (): Promise<CheckOutcome> => hostOnly(check.id, async () => runCheck(boundCheck, subject, quietDeps));
  const outcome = await lookedAfter(check.id, example.text, run);
  const { body, judged } = applied(subject, outcome);
  return { ...judged, ...noted, after: textsIn(body, subject), suits: subject.suits(boundCheck) };
}

const textsIn = (body: Json, { content, side }: Subject): readonly Segment[] => content[side]?.(body) ?? [];

/** Notes whether more is read than texts. */
function noting<P>(input: CheckInput<P>, noted: { readsCall: boolean }): CheckInput<P> {
  return new Proxy(input, {
    get(target, member) {
      if (member === "call") noted.readsCall = true;
      const value: unknown = Reflect.get(target, member, target);
      return typeof value === "function" ? value.bind(target) : value;
    },
  });
}

function subjectOf(check: Check, example: Example, { surface, body, streamed = false, signal }: Partial<Running>): Subject {
  const { text, metadata = {}, headers = {}, question = text } = example;
  const side = surface?.side ?? sideOf(check, example);
  const { operation } = surface ?? SURFACES[side][0] ?? { operation: "chatComplete" };
  const asked = SURFACES.input.find((of) => of.operation === operation)?.body(side === "input" ? text : question) ?? { model: "kit-model" };
  const request = {
    ...asked,
    ...(side === "input" && surface?.body(text)),
    ...(side === "input" && body),
    ...(streamed && { stream: true }),
  };
  const call = callOf(frozen(request), { operation, headers: new Headers(headers), ...(signal && { signal }) });
  const answer = body ?? (surface ?? SURFACES.output[0])?.body(text) ?? {};
  return new Subject(side, side === "input" ? request : frozen(answer), {
    call,
    headers: quietDeps.headers,
    keyHeaders: quietDeps.keyHeaders,
    view: { provider: "kit", model: "kit-model", metadata, spending: nothingSpent(), tenant: "tenant", tenantIds: TENANT },
    status: side === "input" ? null : 200,
  });
}
const TENANT = { organisationId: "organisation", workspaceId: "tenant" } as const;

/** As an answer to a person reading a test: what it said, and why. */
export const saidOf = ({ kind, failure, message }: CheckOutcome): readonly [Verdict["verdict"], ...unknown[]] =>
  kind === "error" ? [kind, failure, message] : [kind];
