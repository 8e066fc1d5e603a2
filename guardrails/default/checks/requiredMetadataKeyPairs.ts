import { Type } from "@sinclair/typebox";
import { defineCheck } from "#contract";
import { matches, matchProblems, MatchTypeOf, textOf } from "../match-type.ts";
import { ACCEPTS, OperatorOf } from "../operator.ts";
import { decided } from "../text.ts";

const Value = Type.Union([Type.String({ maxLength: 1_000 }), Type.Number(), Type.Boolean()]);
const Pairs = (description: string) =>
  Type.Optional(
    Type.Record(Type.String({ maxLength: 1_000 }), Type.Union([Value, Type.Array(Value, { minItems: 1, maxItems: 100 })]), {
      minProperties: 1,
      maxProperties: 100,
      description,
    }),
  );
type Given = NonNullable<ReturnType<typeof Pairs>["static"]>;

export default defineCheck({
  id: "default.requiredMetadataKeyPairs",
  title: "Request metadata has any, all or none of the pairs",
  on: ["input"],
  targets: ["llm", "mcp_tools"],
  wants: [],
  judgesPassing: () => true,
  params: Type.Object({
    metadataPairs: Pairs("Metadata keys with the value, or the values, to look for."),
    metadataKeyPairs: Pairs("The same, as it was published too."),
    operator: OperatorOf("pairs", "all"),
    matchType: MatchTypeOf("the value of the request"),
  }),
  problems: ({ metadataPairs, metadataKeyPairs, matchType }) => {
    const pairs = { ...metadataKeyPairs, ...metadataPairs };
    if (Object.keys(pairs).length === 0) return ["metadataPairs must hold at least one pair."];
    return matchProblems(Object.values(pairs).flatMap(wantedIn), matchType);
  },
  run({ call: { metadata }, params: { metadataPairs, metadataKeyPairs, operator, matchType } }) {
    const pairs = Object.entries({ ...metadataKeyPairs, ...metadataPairs });
    const found: string[] = [];
    const missing: string[] = [];
    for (const [key, wanted] of pairs) {
      const has = Object.hasOwn(metadata, key) && matches(metadata[key], wantedIn(wanted), matchType);
      if (has === null) return { verdict: "error", class: "budget", message: `The value of the metadata key ${key} is too long.` };
      (has ? found : missing).push(key);
    }
    const verdict = ACCEPTS[operator](found.length, pairs.length);
    const explanation = `The check for ${operator} of the metadata pairs ${verdict ? "passed" : "failed"}.`;
    return decided(verdict, { verdict, missing_metadata_pairs: missing, found_metadata_pairs: found, operator, matchType, explanation });
  },
});

const wantedIn = (given: Given[string]): readonly string[] => (Array.isArray(given) ? given : [given]).map(textOf);
