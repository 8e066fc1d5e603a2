import { Type } from "@sinclair/typebox";
import { remoteCheck, SAID } from "#contract";
import { addressOf, type Host, Params } from "../ask.ts";

export default (host: Host) =>
  remoteCheck(host, {
    id: "partner_g.guard",
    title: "No jailbreak",
    on: ["input"],
    wants: SAID,
    scope: "turn",
    params: Params,
    reply: Type.Object({
      results: Type.Array(Type.Object({ categories: Type.Object({ jailbreak: Type.Boolean() }) }), { minItems: 1 }),
    }),
    url: () => addressOf("guard"),
    headers: () => ({}),
    ask: ({ text }) => ({ input: text }),
    judge({ results }) {
      const categories = results[0]?.categories;
      const data = { categories };
      return categories?.jailbreak ? { verdict: "deny", reason: "It is a jailbreak.", data } : { verdict: "allow", data };
    },
  });
