import { type Static, Type } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { isJson, type Json, type ModelAnswer } from "#contract";

/** How well a text meets a rubric, and why. */
export interface Judgement {
  readonly score: number;
  readonly reason: string;
  /** Record of the call that found it, in the log. */
  readonly requestId: string | null;
}

const Answer = Type.Object(
  { id: Type.String(), score: Type.Number({ minimum: 0, maximum: 1 }), reason: Type.String() },
  { additionalProperties: false },
);

/** What providers are told of it: their schemas know no bounds of numbers. The same for every text, for they compile it. */
export const FORMAT: Json = {
  type: "json_schema",
  json_schema: {
    name: "verdict",
    strict: true,
    schema: {
      type: "object",
      properties: { id: { type: "string" }, score: { type: "number" }, reason: { type: "string" } },
      required: ["id", "score", "reason"],
      additionalProperties: false,
    },
  },
};

const accepts = TypeCompiler.Compile(Answer);

/** Longer reasons are a way to get a model's words past whoever may not ask it. */
const MAX_REASON = 300;

/** The verdict in a chat completion; `undefined` for anything else, also for one without its word. */
export function judgementIn({ body: { choices }, requestId }: ModelAnswer, word: string): Judgement | undefined {
  const [choice] = Array.isArray(choices) ? (choices as readonly unknown[]) : [];
  const message = isJson(choice) ? choice["message"] : undefined;
  const text = isJson(message) ? message["content"] : undefined;
  const verdict = typeof text === "string" ? verdictIn(text) : undefined;
  return verdict?.id === word ? { score: verdict.score, reason: verdict.reason.slice(0, MAX_REASON), requestId } : undefined;
}

/** Models without a schema often write JSON as code. */
const FENCED = /^\s*```(?:json)?\s*\n([^`]*)\n```\s*$/;
function verdictIn(text: string): Static<typeof Answer> | undefined {
  try {
    const value: unknown = JSON.parse(FENCED.exec(text)?.[1] ?? text);
    return accepts.Check(value) ? value : undefined;
  } catch {
    return undefined; // words of a model that are no JSON are no verdict
  }
}
