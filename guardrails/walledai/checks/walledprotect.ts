import { Type } from "@sinclair/typebox";
import { type Handles, remoteCheck, SAID, vendorParams } from "#contract";
import { Credentials } from "../credentials.ts";

const PII = ["Person's Name", "Address", "Email Id", "Contact No", "Date Of Birth", "Unique Id", "Financial Data"];
const Names = (usual: readonly string[], description: string) =>
  Type.Array(Type.String({ minLength: 1, maxLength: 255, description: "Name." }), { maxItems: 100, default: [...usual], description });
const Params = Type.Object({
  generic_safety_check: Type.Boolean({ default: true, description: "Judge whether a text is safe at all." }),
  greetings_list: Names(["Casual & Friendly"], "Greetings to look for."),
  pii_list: Names(PII, "Personal data to look for."),
  compliance_list: Names([], "Rules to look for breaches of."),
  ...vendorParams(),
});

export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "walledai.walledprotect",
    title: "Safe content",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    params: Params,
    credentials: Credentials,
    reply: Type.Object({
      data: Type.Object({ safety: Type.Array(Type.Object({ safety: Type.Optional(Type.String()), isSafe: Type.Boolean() })) }),
    }),
    url: () => "https://services.walled.ai/v1/walled-protect",
    headers: (_, { apiKey }) => ({ "x-api-key": apiKey }),
    ask: ({ text, params: { generic_safety_check, greetings_list, pii_list, compliance_list } }) => ({
      text,
      generic_safety_check,
      greetings_list,
      pii_list,
      compliance_list,
    }),
    judge({ data: { safety } }, { params }) {
      if (params.generic_safety_check && safety.length === 0)
        return {
          verdict: "error",
          class: "malformed",
          message: "walledai.walledprotect: the service does not say whether the text is safe",
        };
      const isSafe = safety.every((of) => of.isSafe);
      return isSafe ? { verdict: "allow", data: { safety } } : { verdict: "deny", reason: "The text is not safe.", data: { safety } };
    },
  });
