import { type Static, Type } from "@sinclair/typebox";
import { endpointOr, type Handles, RedactParam, remoteCheckOfEach, SAID, type TextFinding, vendorParams } from "#contract";
import { Credentials } from "../credentials.ts";

const Params = Type.Object({
  projectId: Type.String({ minLength: 1, maxLength: 255, description: "Project whose scanners judge." }),
  redact: RedactParam,
  ...vendorParams(),
});
const Reply = Type.Object({
  redactedInput: Type.Optional(Type.Union([Type.String(), Type.Null()])),
  result: Type.Object({
    outcome: Type.String(),
    scannerResults: Type.Optional(
      Type.Union([
        Type.Array(Type.Object({ scannerId: Type.Optional(Type.String()), outcome: Type.Optional(Type.String()) })),
        Type.Null(),
      ]),
    ),
  }),
});

export default (host: Pick<Handles, "fetch">) =>
  remoteCheckOfEach(host, {
    id: "f5-guardrails.scan",
    title: "The scanners of a project",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    transforms: true,
    params: Params,
    credentials: Credentials,
    reply: Reply,
    url: (_, { calypsoUrl }) => `${endpointOr(calypsoUrl, "https://us1.calypsoai.app")}/backend/v1/scans`,
    headers: (_, { apiKey }) => ({ authorization: `Bearer ${apiKey}` }),
    ask: ({ text }, { params }) => ({ input: text, project: params.projectId }),
    judge: (reply, { text }, { params }) => findingOf(reply, text, params.redact),
  });

/** Only what the vendor itself calls redacted is gone on with: a text that it blocks stays out, whatever it would make of it. */
function findingOf(
  { redactedInput, result: { outcome, scannerResults } }: Static<typeof Reply>,
  text: string,
  redact: boolean,
): TextFinding {
  const failed = (scannerResults ?? []).filter((of) => of.outcome === "failed").map(({ scannerId = "a scanner" }) => scannerId);
  const data = { outcome, failed };
  if (outcome === "cleared") return { reason: null, data };
  const reason = `The scan says ${outcome.slice(0, 80)}.`;
  const isRedacted = outcome === "redacted" && typeof redactedInput === "string" && redactedInput !== text;
  return redact && isRedacted ? { reason, redacted: redactedInput, data } : { reason, data };
}
