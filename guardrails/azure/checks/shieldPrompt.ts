import { Type } from "@sinclair/typebox";
import { type Json, remoteCheckOfEach, SAID, type Segment } from "#contract";
import { addressOf, type Host, keyOf, Params } from "../ask.ts";
import { Credentials } from "../credentials.ts";

const Analysis = Type.Object({ attackDetected: Type.Boolean() });
/** Characters that the vendor takes at one time. */
const MAX_TEXT = 10_000;

export default (host: Host) =>
  remoteCheckOfEach(host, {
    id: "azure.shieldPrompt",
    title: "No attack in prompts and documents",
    on: ["input"],
    wants: SAID,
    scope: "turn",
    params: Params,
    credentials: Credentials,
    reply: Type.Object({ userPromptAnalysis: Analysis, documentsAnalysis: Type.Optional(Type.Union([Type.Array(Analysis), Type.Null()])) }),
    url: ({ params }, account) => addressOf(account, "text:shieldPrompt", params.apiVersion),
    headers: (_, account) => keyOf(account),
    longest: MAX_TEXT,
    ask,
    judge({ userPromptAnalysis, documentsAnalysis }) {
      const found = [
        ...(userPromptAnalysis.attackDetected ? ["the prompt"] : []),
        ...(documentsAnalysis?.some(({ attackDetected }) => attackDetected) ? ["what tools say"] : []),
      ];
      return {
        reason: found.length > 0 ? `An attack in ${found.join(" and ")}.` : null,
        data: { userPromptAnalysis, documentsAnalysis },
      };
    },
  });

/** What people say is the prompt; what tools say comes from outside, as documents do. */
const ask = ({ role, kind, text }: Segment): Json =>
  role === "tool" || kind === "tool_result" ? { userPrompt: "", documents: [text] } : { userPrompt: text, documents: [] };
