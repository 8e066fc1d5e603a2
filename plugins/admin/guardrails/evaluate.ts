import { type Static, Type } from "@sinclair/typebox";
import {
  type CheckResult,
  defineRoute,
  GatewayError,
  type GuardrailJudge,
  type GuardrailJudgement,
  type GuardrailQuestion,
  GuardrailCheck,
  type Json,
  JsonObject,
  Nullable,
  OneOf,
  type OperationName,
  type Route,
} from "#contract";
import { UnderWay } from "./under-way.ts";

const SIDES = { beforeRequestHook: "input", afterRequestHook: "output" } as const;
const EVENTS = Object.keys(SIDES) as (keyof typeof SIDES)[]; // the table's own keys

/** Checks that are still asking are told to stop then. */
const DEADLINE_MS = 25_000;
const HeaderName = Type.String({ pattern: "^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,256}$" });
const HeaderValue = Type.String({ maxLength: 16_384, pattern: "^[\\t\\x20-\\x7e\\x80-\\xff]*$" });

const Question = Type.Object(
  {
    checks: Type.Optional(
      Type.Array(GuardrailCheck, { minItems: 1, maxItems: 100, description: "Checks to run, each by itself. Either this or `guardrail`." }),
    ),
    guardrail: Type.Optional(Type.String({ minLength: 1, maxLength: 255, description: "A saved guardrail to run, by slug or id." })),
    event: OneOf(EVENTS, { description: "Before a request goes to its provider, or after the provider has answered." }),
    request_type: Type.String({ default: "chatComplete", maxLength: 128, description: "The operation whose bodies these are." }),
    provider: Type.Optional(Type.String({ maxLength: 255, description: "Provider id, as checks may ask for it." })),
    request: Type.Object(
      {
        json: JsonObject("The request's body."),
        headers: Type.Optional(Type.Record(HeaderName, HeaderValue, { additionalProperties: false, description: "Its headers." })),
      },
      { additionalProperties: false, description: "The request." },
    ),
    response: Type.Optional(
      Type.Object(
        {
          json: JsonObject("The answer's body."),
          status: Type.Optional(
            Type.Integer({ default: 200, minimum: 100, maximum: 599, description: "Its status; only good answers are judged." }),
          ),
        },
        { additionalProperties: false, description: "The answer; needed for `afterRequestHook`." },
      ),
    ),
    metadata: Type.Optional(
      Type.Record(Type.String({ maxLength: 128 }), Type.String({ maxLength: 128 }), { description: "Metadata of the request." }),
    ),
  },
  { additionalProperties: false },
);
type Question = Static<typeof Question>;

const Result = Type.Object({
  id: Type.String({ description: "Check id." }),
  verdict: Type.Boolean({ description: "Did it pass?" }),
  data: Type.Unknown({ description: "What it says of its verdict." }),
  error: Nullable(Type.Object({ name: Type.String(), message: Type.String() }, { description: "Why it could not judge." })),
  transformed: Type.Boolean({ description: "Did it change the body?" }),
  transformed_data: Nullable(
    Type.Object(
      {
        request: Type.Optional(Type.Object({ json: JsonObject("The request as it was changed.") })),
        response: Type.Optional(Type.Object({ json: JsonObject("The answer as it was changed.") })),
      },
      { description: "The body as all checks together changed it: with the last of those that did." },
    ),
  ),
  execution_time: Type.Number({ description: "Milliseconds." }),
});

/** Runs checks, or a saved guardrail, on bodies that the client shows; no provider is asked for an answer. */
export const evaluate = (guard: GuardrailJudge, underWay = new UnderWay()): Route =>
  defineRoute({
    plane: "control",
    method: "POST",
    path: "/guardrails/evaluate",
    action: false,
    tag: "Guardrails",
    summary: "Evaluate checks or a guardrail",
    description:
      "Runs checks, or a saved guardrail, on a request (`beforeRequestHook`) or on its answer (`afterRequestHook`), and says what each of them found. No model is called but by checks that ask one. `verdict` is whether the guardrail would pass: a check that could not judge counts as its fail mode says.",
    scope: ["guardrails.invoke", "organisation_guardrails.create"], // who may make them may try them
    maxBodyBytes: 16 * 1024 * 1024,
    query: Type.Object({}, { additionalProperties: false }),
    body: Question,
    examples: {
      "Is a social security number found?": {
        checks: [{ id: "default.regexMatch", parameters: { rule: "\\b\\d{3}-\\d{2}-\\d{4}\\b", not: true } }],
        event: "beforeRequestHook",
        request_type: "chatComplete",
        request: { json: { messages: [{ role: "user", content: "It is 123-45-6789." }] } },
      },
    },
    reply: Type.Object({
      results: Type.Array(Result, { description: "One for each check that ran, in their order." }),
      verdict: Type.Boolean({ description: "Would the request, or the answer, pass?" }),
    }),
    errors: [400, 401, 403, 404, 429],
    async handle({ body, caller, request: { signal } }) {
      const question = questionOf(body, guardrailIn(body));
      const stop = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
      const judgement = await underWay.run(caller.organisationId, () => guard.judge(question, caller, stop));
      return { results: resultsOf(judgement, body), verdict: judgement.results.every(({ verdict }) => verdict) };
    },
  });

/** Checks are one guardrail: they share one reading of the body, and one allowance. */
function guardrailIn({ checks, guardrail, event, response }: Question): string | Json {
  if (checks === undefined && guardrail === undefined)
    throw wrong("guardrail", "Nothing is to be run: name `checks`, or a saved `guardrail`.");
  if (checks !== undefined && guardrail !== undefined)
    throw wrong("guardrail", "Either `checks` are run or a saved `guardrail`, not both.");
  if (event === "afterRequestHook" && response === undefined)
    throw wrong("response", "The member response is missing: afterRequestHook judges the answer in it.");
  return checks ? { id: "evaluated", checks } : (guardrail ?? "");
}
const wrong = (param: string, what: string): GatewayError => new GatewayError("REQUEST_INVALID", { what }, { param });

const questionOf = (
  { event, request_type, provider, request, response, metadata }: Question,
  guardrail: string | Json,
): GuardrailQuestion => ({
  guardrails: [guardrail],
  side: SIDES[event],
  requestType: request_type as OperationName, // an unknown one is refused where it is looked up
  provider: provider ?? null,
  request: { json: request.json, headers: request.headers ?? {} },
  ...(response && { response: { json: response.json, status: response.status ?? 200 } }),
  metadata: metadata ?? {},
});

function resultsOf({ results, body }: GuardrailJudgement, { event }: Question) {
  const checks = results.flatMap((result) => result.checks);
  const changedLast = checks.findLastIndex(({ transformed }) => transformed);
  const changed = SIDES[event] === "input" ? { request: { json: body } } : { response: { json: body } };
  return checks.map((check, at) => shown(check, at === changedLast ? changed : null));
}

const shown = ({ id, verdict, data, error, transformed, execution_time }: CheckResult, changed: object | null) => ({
  id,
  verdict,
  data,
  error,
  transformed,
  transformed_data: changed,
  execution_time,
});
