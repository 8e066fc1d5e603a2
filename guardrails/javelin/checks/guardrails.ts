import { type Static, Type } from "@sinclair/typebox";
import { type Handles, remoteCheck, SAID, vendorParams, type Verdict } from "#contract";
import { Credentials } from "../credentials.ts";

const Categories = Type.Optional(Type.Record(Type.String(), Type.Boolean()));
const Assessment = Type.Object({
  request_reject: Type.Optional(Type.Boolean()),
  categories: Categories,
  results: Type.Optional(Type.Object({ categories: Categories })),
});
const Reply = Type.Object({ assessments: Type.Array(Type.Record(Type.String(), Assessment), { minItems: 1 }) });

export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "javelin.guardrails",
    title: "The guardrails of an application",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    params: Type.Object(vendorParams()),
    credentials: Credentials,
    reply: Reply,
    url: (_, { domain = "api-dev.javelin.live" }) => `https://${domain}/v1/guardrails/apply`,
    headers: (_, { apiKey, application }) => ({ "x-javelin-apikey": apiKey, "x-javelin-application": application }),
    ask: ({ text }) => ({ input: { text } }),
    judge,
  });

function judge({ assessments }: Static<typeof Reply>): Verdict {
  const results = assessments.flatMap((assessment) => Object.entries(assessment).map(([guardrail, of]) => shown(guardrail, of)));
  const rejected = results.filter(({ request_reject }) => request_reject).map(({ guardrail }) => guardrail);
  const data = { assessments: results };
  return rejected.length === 0 ? { verdict: "allow", data } : { verdict: "deny", reason: `Rejected by ${rejected.join(", ")}.`, data };
}

function shown(guardrail: string, { request_reject = false, categories, results }: Static<typeof Assessment>) {
  const flagged = Object.entries(results?.categories ?? categories ?? {}).flatMap(([name, is]) => (is ? name : []));
  return { guardrail, request_reject, flagged };
}
