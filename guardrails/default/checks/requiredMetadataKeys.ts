import { Type } from "@sinclair/typebox";
import { defineCheck } from "#contract";
import { ACCEPTS, OperatorOf } from "../operator.ts";
import { decided } from "../text.ts";

export default defineCheck({
  id: "default.requiredMetadataKeys",
  title: "Request metadata has any, all or none of the keys",
  on: ["input"],
  targets: ["llm", "mcp_tools"],
  wants: [],
  judgesPassing: () => true,
  params: Type.Object({
    metadataKeys: Type.Array(Type.String({ maxLength: 1_000 }), {
      minItems: 1,
      maxItems: 1_000,
      description: "Metadata keys to look for.",
    }),
    operator: OperatorOf("keys", "all"),
  }),
  run({ call: { metadata }, params: { metadataKeys, operator } }) {
    const found = metadataKeys.filter((key) => Object.hasOwn(metadata, key));
    const missing = metadataKeys.filter((key) => !Object.hasOwn(metadata, key));
    const verdict = ACCEPTS[operator](found.length, metadataKeys.length);
    const explanation = `The check for ${operator} of the metadata keys ${verdict ? "passed" : "failed"}.`;
    return decided(verdict, { verdict, missing_metadata_keys: missing, found_metadata_keys: found, operator, explanation });
  },
});
