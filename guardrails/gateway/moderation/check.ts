import { type Check, type CheckInput, defineCheck, type Handles, modelProblems } from "#contract";
import { decided } from "../judged.ts";
import type { Category, Lexicon } from "./category.ts";
import { moderatedBy } from "./model.ts";
import { asksModel, mappingProblems, Params } from "./params.ts";

/** Milliseconds for a thousand characters, measured on texts made to be slow, and doubled. */
const MS_PER_THOUSAND = 6;

/** The check: the rules of this pack say what a text is, or a model that its parameters name. */
export const moderateContent = (lexicon: Lexicon, host: Pick<Handles, "dispatch">): Check =>
  defineCheck<typeof Params>({
    id: "gateway.moderateContent",
    title: "No harmful content",
    on: ["input"],
    scope: "turn",
    params: Params,
    problems: (params) => (asksModel(params) ? [...modelProblems(params), ...mappingProblems(params)] : []),
    dispatches: asksModel,
    cost: (params, chars) => (asksModel(params) ? 0 : (chars * MS_PER_THOUSAND) / 1000),
    run(input: CheckInput<Params>) {
      const { params } = input;
      if (!asksModel(params)) return verdictOf(lexicon.flagged(input.text), params);
      return moderatedBy(host, input).then((flagged) => verdictOf(flagged, params));
    },
  });

function verdictOf(flagged: ReadonlySet<Category>, { categories, not }: Pick<Params, "categories" | "not">) {
  const restricted = categories.filter((category) => flagged.has(category));
  const verdict = (restricted.length === 0) !== not;
  const explanation = restricted.length === 0 ? "No content of the restricted categories was found." : `Found ${restricted.join(", ")}.`;
  return decided(verdict, { verdict, not, explanation, flaggedCategories: restricted, restrictedCategories: categories });
}
