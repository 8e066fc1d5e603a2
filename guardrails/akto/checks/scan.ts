import { Type } from "@sinclair/typebox";
import { endpointOr, type Handles, remoteCheck, SAID, vendorParams } from "#contract";
import { Credentials } from "../credentials.ts";

export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "akto.scan",
    title: "The guardrail policies of an account",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    params: Type.Object(vendorParams()),
    credentials: Credentials,
    reply: Type.Object({ Allowed: Type.Boolean(), Reason: Type.Optional(Type.String()) }),
    url: (_, { baseUrl }) => `${endpointOr(baseUrl, "https://1726615470-guardrails.akto.io")}/api/validate/request`,
    headers: (_, { apiKey }) => ({ authorization: `Bearer ${apiKey}` }),
    ask: ({ text, call }) => ({ payload: JSON.stringify({ prompt: text, model: call.model ?? "unknown" }) }), // JSON in JSON, as the vendor reads it
    judge({ Allowed: allowed, Reason: reason = "" }) {
      const data = { allowed, reason: reason.slice(0, 200) };
      return allowed ? { verdict: "allow", data } : { verdict: "deny", reason: `Not allowed${reason ? `: ${data.reason}` : ""}.`, data };
    },
  });
