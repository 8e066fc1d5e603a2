import { Type } from "@sinclair/typebox";
import { type Check, type Handles, OneOf, remoteCheck } from "#contract";

const BANDS = ["low", "medium", "high"] as const;

/** Acme's risk score. */
export default (host: Pick<Handles, "fetch" | "secrets">, baseUrl: string): Check =>
  remoteCheck(host, {
    id: "acme.risk",
    title: "Risk is in a low enough band",
    on: ["input", "output"],
    params: Type.Object({ highest: OneOf(BANDS, { default: "medium", description: "The highest band that passes." }) }),
    reply: Type.Object({ score: Type.Number(), band: OneOf(BANDS, { description: "Band." }) }),
    url: () => `${baseUrl}/risk`,
    headers: async () => ({ authorization: `Bearer ${await host.secrets.read("ACME_API_KEY")}` }),
    ask: ({ text }) => ({ text }),
    judge({ score, band }, { params: { highest } }) {
      const data = { score, band };
      return BANDS.indexOf(band) <= BANDS.indexOf(highest)
        ? { verdict: "allow", data }
        : { verdict: "deny", reason: `The risk is ${band}.`, data };
    },
  });
