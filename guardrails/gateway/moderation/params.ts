import { type Static, Type } from "@sinclair/typebox";
import { modelParams, OneOf } from "#contract";
import { Not, Timeout } from "../judged.ts";
import { CATEGORIES } from "./category.ts";
import { HAZARDS } from "./mapping.ts";

export const Params = Type.Object({
  categories: Type.Array(OneOf(CATEGORIES, { description: "Category." }), {
    minItems: 1,
    description:
      "What a text must not be. Without `model` it is found by phrases: what is hinted at, dressed as fiction or said in other languages than English, Spanish, French, German, Portuguese and Italian is mostly missed.",
  }),
  ...modelParams(),
  answers: OneOf(["moderation", "guard"], {
    default: "moderation",
    description:
      "What the model is: `moderation` has a moderation endpoint (`/v1/moderations`), `guard` is a chat model that answers `safe`, or `unsafe` and codes such as `S1,S10`.",
  }),
  mapping: Type.Optional(
    Type.Record(Type.String({ maxLength: 128 }), Type.Array(OneOf(CATEGORIES, { description: "Category." }), { maxItems: 11 }), {
      maxProperties: 64,
      description:
        'What the model\'s own categories mean, where the gateway does not know, or otherwise than it does: `{"S2": ["violence"]}`.',
    }),
  ),
  threshold: Type.Optional(
    Type.Number({
      minimum: 0,
      maximum: 1,
      description: "Score from which a category counts, instead of the moderation endpoint's own word.",
    }),
  ),
  not: Not,
  timeout: Timeout,
});
export type Params = Static<typeof Params>;

/** Is a model asked, and not the rules of this pack? */
export const asksModel = ({ model, provider, config }: Pick<Params, "model" | "provider" | "config">): boolean =>
  (model ?? provider ?? config) !== undefined;

/** A guard model's codes are known beforehand: what none of them stands for it would never find. */
export function mappingProblems({ answers, categories, mapping = {} }: Params): readonly string[] {
  if (answers !== "guard") return [];
  const told = new Set(Object.values({ ...HAZARDS, ...mapping }).flat());
  const untold = categories.filter((category) => !told.has(category));
  return untold.length === 0 ? [] : [`no code of the guard model stands for ${untold.join(", ")}: leave it out, or name one in mapping`];
}
