import { Type } from "@sinclair/typebox";
import { defineCheck } from "#contract";
import { Not } from "../counted.ts";
import { noModel, requestedModelOf } from "../requested-model.ts";
import { decided } from "../text.ts";

export default defineCheck({
  id: "default.modelWhitelist",
  title: "Model is on a list",
  on: ["input"],
  wants: [],
  params: Type.Object({
    models: Type.Array(Type.String({ maxLength: 1_000 }), {
      minItems: 1,
      maxItems: 10_000,
      description: "Allowed models, exactly as requests name them.",
    }),
    not: Not,
  }),
  run({ call, params: { models, not } }) {
    const requestedModel = requestedModelOf(call);
    if (requestedModel === null) return noModel;
    const listed = models.includes(requestedModel);
    const verdict = listed !== not;
    const explanation = `The model ${requestedModel} is ${listed ? "" : "not "}on the list.`;
    return decided(verdict, { verdict, not, requestedModel, allowedModels: models, explanation });
  },
});
