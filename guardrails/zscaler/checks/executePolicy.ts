import { type Static, Type } from "@sinclair/typebox";
import { endpointOr, type Handles, remoteCheck, SAID, vendorParams, type Verdict } from "#contract";
import { Credentials } from "../credentials.ts";

const Params = Type.Object({
  policyId: Type.Union([Type.Integer({ minimum: 1 }), Type.String({ pattern: "^\\d{1,15}$" })], {
    description: "Id of the detection policy that is executed.",
  }),
  ...vendorParams(10_000),
});
const Detector = Type.Union([Type.Object({ action: Type.Optional(Type.String()) }), Type.Null()]);
const Reply = Type.Object({
  action: Type.String(),
  statusCode: Type.Optional(Type.Number()),
  transactionId: Type.Optional(Type.String()),
  detectorResponses: Type.Optional(Type.Union([Type.Record(Type.String(), Detector), Type.Null()])),
});

export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "zscaler.executePolicy",
    title: "A detection policy",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    params: Params,
    credentials: Credentials,
    reply: Reply,
    url: (_, { apiBase }) => `${endpointOr(apiBase, "https://api.us1.zseclipse.net")}/v1/detection/execute-policy`,
    headers: (_, { apiKey }) => ({ authorization: `Bearer ${apiKey}` }),
    ask: ({ text, side, params }) => ({ policyId: Number(params.policyId), direction: side === "input" ? "IN" : "OUT", content: text }),
    judge,
  });

/** What lets a text pass; a detection alone is for the vendor's reports. */
const PASSING = ["ALLOW", "DETECT"];

function judge({ action, statusCode, transactionId, detectorResponses }: Static<typeof Reply>): Verdict {
  const blocking = Object.entries(detectorResponses ?? {}).flatMap(([name, of]) => (of?.action === "BLOCK" ? name : []));
  const data = { action, transactionId, blocking };
  if (action === "BLOCK")
    return { verdict: "deny", reason: `The policy blocks it${blocking.length > 0 ? `: ${blocking.join(", ")}` : ""}.`, data };
  if (PASSING.includes(action) && (statusCode ?? 200) === 200) return { verdict: "allow", data };
  return {
    verdict: "error",
    class: "malformed",
    message: `The service answers ${action.slice(0, 80)} (${statusCode ?? "no status"}).`,
    data,
  };
}
