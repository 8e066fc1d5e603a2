import { type Static, Type } from "@sinclair/typebox";
import { CheckFault, type Handles, RedactParam, remoteCheck, SAID, type TextFinding, vendorParams, verdictOf } from "#contract";
import { Credentials, tokenOf } from "../credentials.ts";

const Reply = Type.Object({
  result: Type.Object({
    count: Type.Integer({ minimum: 0 }),
    redacted_data: Type.Optional(Type.Union([Type.Array(Type.Object({ text: Type.String() })), Type.Null()])),
  }),
});

export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "pangea.pii",
    title: "No personal data",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    transforms: true,
    params: Type.Object({ redact: RedactParam, ...vendorParams() }),
    credentials: Credentials,
    reply: Reply,
    url: (_, { domain }) => `https://redact.${domain}/v1/redact_structured`,
    headers: (_, account) => tokenOf(account),
    ask: ({ segments }) => ({ data: segments.map(({ text }) => ({ text })), jsonp: ["$[*].text"] }),
    judge({ result }, { segments, params }) {
      const data = { count: result.count };
      if (result.count === 0) return { verdict: "allow", data };
      if (!params.redact) return { verdict: "deny", reason: `Personal data, ${result.count} times.`, data };
      const verdict = verdictOf(
        segments,
        redactedTexts(result, segments.length).map((redacted, index) => findingOf(segments[index]?.text, redacted)),
      );
      // It counted something, so a text that is as it was is none to go on with.
      return verdict.verdict === "transform" ? { ...verdict, data } : { verdict: "deny", reason: "Personal data.", data };
    },
  });

function redactedTexts({ redacted_data }: Static<typeof Reply>["result"], count: number): readonly string[] {
  if (redacted_data?.length === count) return redacted_data.map(({ text }) => text);
  throw new CheckFault("malformed", `pangea.pii: the service gave back ${redacted_data?.length ?? 0} of ${count} texts`);
}
const findingOf = (text: string | undefined, redacted: string): TextFinding =>
  redacted === text ? { reason: null } : { reason: "Personal data.", redacted };
