import { Type } from "@sinclair/typebox";
import { defineCheck } from "#contract";
import { Not } from "../counted.ts";
import { noModel, requestedModelOf } from "../requested-model.ts";
import { decided } from "../text.ts";

const Models = (description: string) => Type.Array(Type.String({ maxLength: 1_000 }), { maxItems: 1_000, description });
const Rules = Type.Object(
  {
    defaults: Type.Optional(
      Models(
        "Models for requests that no rule of `metadata` is for. Without them such a request cannot be judged: an error of class `config`.",
      ),
    ),
    metadata: Type.Optional(
      Type.Record(
        Type.String({ maxLength: 1_000 }),
        Type.Record(
          Type.String({ maxLength: 1_000 }),
          Models("Models for requests that have this key with this value, exactly as requests name them."),
          { description: "Rules for this key of the request's metadata, by its value." },
        ),
        {
          maxProperties: 100,
          description: 'Key of the request\'s metadata, then its value, then the models: `{"team": {"research": ["gpt-4o", "o3"]}}`.',
        },
      ),
    ),
  },
  {
    description:
      "Which models a request may name. Where several of its metadata pairs have rules, the models of all of them are allowed; where none has, `defaults` are.",
  },
);

export default defineCheck({
  id: "default.modelRules",
  title: "Model is allowed for the request's metadata",
  on: ["input"],
  wants: [],
  params: Type.Object({ rules: Rules, not: Not }),
  run({ call, params: { rules, not } }) {
    const requestedModel = requestedModelOf(call);
    if (requestedModel === null) return noModel;
    const { models: allowedModels, matchedRules } = allowed(rules, call.metadata);
    if (allowedModels.length === 0)
      return { verdict: "error", class: "config", message: "No rule is for this request, and there are no default models." };
    const listed = allowedModels.includes(requestedModel);
    const verdict = listed !== not;
    const explanation = `The model ${requestedModel} is ${listed ? "" : "not "}allowed for the request's metadata.`;
    return decided(verdict, { verdict, not, requestedModel, allowedModels, matchedRules, explanation });
  },
});

interface Allowed {
  readonly models: readonly string[];
  /** `key=value` of what the request has. */
  readonly matchedRules: readonly string[];
}
function allowed(rules: typeof Rules.static, metadata: Readonly<Record<string, string>>): Allowed {
  const matched = Object.entries(rules.metadata ?? {}).flatMap(([key, byValue]) => {
    const value = Object.hasOwn(metadata, key) ? metadata[key] : undefined;
    const models = value !== undefined && Object.hasOwn(byValue, value) ? byValue[value] : undefined;
    return models ? [{ rule: `${key}=${value}`, models }] : [];
  });
  if (matched.length === 0) return { models: rules.defaults ?? [], matchedRules: [] };
  return { models: [...new Set(matched.flatMap(({ models }) => models))], matchedRules: matched.map(({ rule }) => rule) };
}
