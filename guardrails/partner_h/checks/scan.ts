import { Type } from "@sinclair/typebox";
import { CheckFault, type Handles, remoteCheck, SAID, verdictOf } from "#contract";
import { apexUrl } from "../apex.ts";
import { Credentials } from "../credentials.ts";
import { Extraction, findingOf } from "../detections.ts";
import { Params } from "../params.ts";

export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "partner_h.scan",
    title: "Exploits, harmful content, languages, personal data and secrets",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    transforms: true,
    params: Params,
    credentials: Credentials,
    reply: Type.Object({ extractions: Type.Array(Extraction) }),
    url: (_, { apiKey }) => `${apexUrl(apiKey)}/_acuvity/scan`,
    headers: (_, { apiKey }) => ({ authorization: `Bearer ${apiKey}` }),
    ask: ({ segments, side, params }) => ({
      anonymization: "FixedSize",
      messages: segments.map(({ text }) => text),
      redactions: redactions(params),
      type: side === "input" ? "Input" : "Output",
    }),
    judge({ extractions }, { segments, params }) {
      if (extractions.length !== segments.length)
        throw new CheckFault("malformed", `partner_h.scan: the service answered for ${extractions.length} of ${segments.length} texts`);
      return verdictOf(
        segments,
        extractions.map((extraction) => findingOf(extraction, params)),
      );
    },
  });

const redactions = (params: Params): readonly string[] => [
  ...(params.pii && params.pii_redact ? params.pii_categories : []),
  ...(params.secrets && params.secrets_redact ? params.secrets_categories : []),
];
