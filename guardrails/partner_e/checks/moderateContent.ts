import { Type } from "@sinclair/typebox";
import { type CheckInput, type Handles, OneOf, remoteCheck, SAID, vendorParams } from "#contract";
import { Credentials } from "../credentials.ts";

const CATEGORIES = [
  "sexual",
  "hate_and_discrimination",
  "violence_and_threats",
  "dangerous_and_criminal_content",
  "selfharm",
  "health",
  "financial",
  "law",
  "pii",
] as const;
const Params = Type.Object({
  categories: Type.Array(OneOf(CATEGORIES, { description: "Category." }), { minItems: 1, description: "What a text may not be." }),
  ...vendorParams(),
});
type Input = Pick<CheckInput<unknown>, "side" | "call">;

export default (host: Pick<Handles, "fetch">) =>
  remoteCheck(host, {
    id: "partner_e.moderateContent",
    title: "Moderation by a model",
    on: ["input", "output"],
    wants: SAID,
    scope: "turn",
    params: Params,
    credentials: Credentials,
    reply: Type.Object({ results: Type.Array(Type.Object({ categories: Type.Record(Type.String(), Type.Boolean()) }), { minItems: 1 }) }),
    url: (input) => `https://api.mistral.ai/v1/${conversation(input) ? "chat/moderations" : "moderations"}`,
    headers: (_, { apiKey }) => ({ authorization: `Bearer ${apiKey}` }),
    ask: (input) => ({ model: "mistral-moderation-latest", input: [conversation(input) ?? input.text] }),
    judge({ results }, { params }) {
      const flagged = params.categories.filter((category) => results.some(({ categories }) => categories[category] === true));
      if (flagged.length === 0) return { verdict: "allow", data: { flagged_categories: flagged } };
      return { verdict: "deny", reason: `Flagged as ${flagged.join(", ")}.`, data: { flagged_categories: flagged } };
    },
  });

/** A chat that is asked goes as a conversation; everything else as a text. */
function conversation({ side, call }: Input): readonly unknown[] | undefined {
  const messages = call.requestType === "chatComplete" && side === "input" ? call.request?.["messages"] : undefined;
  return Array.isArray(messages) ? messages : undefined;
}
