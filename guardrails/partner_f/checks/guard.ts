import { Type } from "@sinclair/typebox";
import { endpointOr, RedactParam, remoteCheckOfEach, SAID, vendorParams } from "#contract";
import { findingOf, Reply } from "../assessment.ts";
import { Credentials } from "../credentials.ts";
import { type Host, keysOf } from "../keys.ts";
import { signed } from "../sign.ts";

const Name = (description: string) => Type.String({ minLength: 1, maxLength: 2048, description });
const Params = Type.Object({
  guardrailId: Name("Id or ARN of the guardrail."),
  guardrailVersion: Name("Its version, or `DRAFT`."),
  redact: RedactParam,
  ...vendorParams(),
});

export default (host: Host) => {
  const keyOf = keysOf(host);
  return remoteCheckOfEach(host, {
    id: "partner_f.guard",
    title: "A guardrail of the cloud",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    transforms: true,
    params: Params,
    credentials: Credentials,
    reply: Reply,
    url: ({ params: { guardrailId, guardrailVersion } }, { awsRegion, customHost }) => {
      const base = endpointOr(customHost, `https://bedrock-runtime.${awsRegion}.amazonaws.com`);
      return `${base}/guardrail/${encodeURIComponent(guardrailId)}/version/${encodeURIComponent(guardrailVersion)}/apply`;
    },
    headers: async (_, account, sent) =>
      signed({ method: "POST", ...sent, service: "bedrock", region: account.awsRegion }, await keyOf(account), host.now()),
    ask: ({ text }, { side }) => ({ source: side === "input" ? "INPUT" : "OUTPUT", content: [{ text: { text } }] }),
    judge: (reply, { text }, { params }) => findingOf(text, reply, params.redact),
  });
};
