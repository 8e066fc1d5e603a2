import { Type } from "@sinclair/typebox";
import { defineCheck } from "#contract";
import { jsonIn } from "../json.ts";
import { ACCEPTS, OperatorOf } from "../operator.ts";
import { decided, excerpt, noText } from "../text.ts";

export default defineCheck({
  id: "default.jsonKeys",
  title: "JSON in the text has any, all or none of the keys",
  on: ["input", "output"],
  targets: ["llm", "mcp_tools"],
  measures: () => true,
  params: Type.Object({
    keys: Type.Array(Type.String(), { minItems: 1, maxItems: 1_000, description: "Top-level keys to look for." }),
    operator: OperatorOf("keys", "any"),
  }),
  cost: ({ keys }, chars) => (chars * (FIND_NS + keys.length * KEY_NS)) / 1_000_000,
  run({ text, params: { keys, operator } }) {
    if (text === "") return noText;
    const judged = jsonIn(text).map((json) => judge(json, keys));
    const best = judged.find(({ present }) => ACCEPTS[operator](present.length, keys.length)) ?? judged[0];
    if (best === undefined)
      return decided(false, {
        verdict: false,
        matchedJson: null,
        presentKeys: [],
        missingKeys: keys,
        operator,
        textExcerpt: excerpt(text),
        explanation: "The text holds no JSON.",
      });
    const verdict = ACCEPTS[operator](best.present.length, keys.length);
    const explanation = `The check for ${operator} of the keys ${verdict ? "passed" : "failed"}.`;
    return decided(verdict, {
      verdict,
      matchedJson: best.json,
      presentKeys: best.present,
      missingKeys: best.missing,
      operator,
      textExcerpt: excerpt(text),
      explanation,
    });
  },
});

/* Nanoseconds for each character: to find JSON and to show it, and to look for one key in objects of two characters each. */
const FIND_NS = 800;
const KEY_NS = 60;

const judge = (json: unknown, keys: readonly string[]) => ({
  json,
  present: keys.filter((key) => Object.hasOwn(json as object, key)), // jsonIn gives objects and arrays only
  missing: keys.filter((key) => !Object.hasOwn(json as object, key)),
});
