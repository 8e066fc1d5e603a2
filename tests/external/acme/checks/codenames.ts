import { Type } from "@sinclair/typebox";
import { defineCheck } from "#contract";

/** Names of things that nobody outside may hear of. */
export default defineCheck({
  id: "acme.codenames",
  title: "No codename is mentioned",
  on: ["input", "output"],
  params: Type.Object({
    names: Type.Array(Type.String({ minLength: 1 }), { minItems: 1, description: "Codenames, in any case." }),
  }),
  stream: { window: { chars: 200, overlap: 60 } },
  run({ text, params: { names } }) {
    const said = text.toLowerCase();
    const found = names.filter((name) => said.includes(name.toLowerCase()));
    return found.length === 0 ? { verdict: "allow" } : { verdict: "deny", reason: "A codename was mentioned.", data: { found } };
  },
});
