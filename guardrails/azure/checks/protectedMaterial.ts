import { Type } from "@sinclair/typebox";
import { remoteCheckOfEach, SAID } from "#contract";
import { addressOf, type Host, keyOf, Params } from "../ask.ts";
import { Credentials } from "../credentials.ts";

/** Characters that the vendor takes at one time. */
const MAX_TEXT = 10_000;

export default (host: Host) =>
  remoteCheckOfEach(host, {
    id: "azure.protectedMaterial",
    title: "No protected text in the answer",
    on: ["output"],
    wants: SAID,
    scope: "turn",
    params: Params,
    credentials: Credentials,
    reply: Type.Object({ protectedMaterialAnalysis: Type.Object({ detected: Type.Boolean() }) }),
    url: ({ params }, account) => addressOf(account, "text:detectProtectedMaterial", params.apiVersion),
    headers: (_, account) => keyOf(account),
    longest: MAX_TEXT,
    ask: ({ text }) => ({ text }),
    judge: ({ protectedMaterialAnalysis }) => ({
      reason: protectedMaterialAnalysis.detected ? "The answer holds protected text." : null,
      data: { protectedMaterialAnalysis },
    }),
  });
