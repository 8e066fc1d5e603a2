import { Type } from "@sinclair/typebox";
import { type Segment, defineCheck } from "#contract";
import { Not } from "../counted.ts";
import { decided, excerpt } from "../text.ts";

export default defineCheck({
  id: "default.notNull",
  title: "The answer is not empty",
  on: ["output"],
  targets: ["llm", "mcp_tools"],
  wants: ["text", "tool_call", "image", "audio", "file"],
  measures: () => true,
  params: Type.Object({ not: Not }),
  run({ segments, params: { not } }) {
    if (segments.some(({ kind }) => kind === "tool_call"))
      return { verdict: "allow", data: { verdict: true, not, explanation: "Skipped: the answer calls tools." } };
    const first = segments.find(hasContent);
    const verdict = (first !== undefined) !== not;
    const textExcerpt = first === undefined ? "" : excerpt(first.text);
    return decided(verdict, { verdict, not, textExcerpt, explanation: `The answer is ${first === undefined ? "" : "not "}empty.` });
  },
});

/** White space alone is nothing that anybody could use. */
const hasContent = ({ text }: Segment): boolean => /\S/.test(text);
