import { Type } from "@sinclair/typebox";
import { type Check, type Handles, remoteCheck } from "#contract";

/** Asks Sprocket how risky a text is: how to ask, and how to judge. All else (texts, time, errors, the result) is the gateway's. */
export default (host: Pick<Handles, "fetch" | "secrets">): Check =>
  remoteCheck(host, {
    id: "sprocket.scan",
    title: "Risk score is below a threshold",
    on: ["input", "output"],
    params: Type.Object({
      threshold: Type.Number({ default: 0.5, minimum: 0, maximum: 1, description: "Score from which on a text is refused." }),
    }),
    reply: Type.Object({ score: Type.Number() }),
    url: () => "https://api.sprocket.example/v1/scan",
    headers: async () => ({ authorization: `Bearer ${await host.secrets.read("SPROCKET_API_KEY")}` }),
    ask: ({ text }) => ({ text }),
    judge({ score }, { params: { threshold } }) {
      const data = { score, threshold };
      return score < threshold ? { verdict: "allow", data } : { verdict: "deny", reason: `The risk score is ${score}.`, data };
    },
  });
