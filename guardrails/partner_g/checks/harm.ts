import { Type } from "@sinclair/typebox";
import { remoteCheck, SAID } from "#contract";
import { addressOf, type Host, Params } from "../ask.ts";

export default (host: Host) =>
  remoteCheck(host, {
    id: "partner_g.harm",
    title: "No harmful content",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    params: Params,
    reply: Type.Object({
      results: Type.Array(Type.Object({ flagged: Type.Boolean(), categories: Type.Optional(Type.Record(Type.String(), Type.Unknown())) }), {
        minItems: 1,
      }),
    }),
    url: () => addressOf("harm"),
    headers: () => ({}),
    ask: ({ text }) => ({ input: text }),
    judge({ results }) {
      const { flagged, categories = {} } = results[0] ?? { flagged: true };
      const data = { flagged, categories };
      if (!flagged) return { verdict: "allow", data };
      const names = Object.keys(categories).filter((name) => categories[name] === true);
      return { verdict: "deny", reason: `It is harmful${names.length > 0 ? `: ${names.join(", ")}` : ""}.`, data };
    },
  });
