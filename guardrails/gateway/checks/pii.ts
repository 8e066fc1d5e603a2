import { Type } from "@sinclair/typebox";
import { defineCheck, OneOf } from "#contract";
import { Not, Timeout } from "../judged.ts";
import { CATEGORIES } from "../pii/entity.ts";
import { judgePii } from "../pii/judge.ts";

export default defineCheck({
  id: "gateway.pii",
  title: "No personal data",
  on: ["input", "output"],
  wants: ["text", "tool_call", "tool_result", "reasoning"],
  scope: "all_messages",
  transforms: true,
  params: Type.Object({
    categories: Type.Array(OneOf(CATEGORIES, { description: "Category." }), {
      minItems: 1,
      description:
        "What to look for. Names and addresses are known in English, Spanish, French, German, Portuguese and Italian; SSNs are those of the United States.",
    }),
    redact: Type.Boolean({
      default: false,
      description:
        "Replace what is found by `{{EMAIL_ADDRESS_1}}` and the like instead of failing; the same value is replaced by the same.",
    }),
    not: Not,
    timeout: Timeout,
  }),
  problems: ({ redact, not }) => (redact && not ? ["`redact` and `not` exclude each other: what is replaced is no longer there"] : []),
  run: judgePii,
});
