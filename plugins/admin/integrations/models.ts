import { Type } from "@sinclair/typebox";
import {
  defineAction,
  GatewayError,
  GivenModel,
  type IntegrationModel,
  type Json,
  maskSecrets,
  type RecordOf,
  refusePinned,
  type RuleInput,
  Integrations,
  StoredModel,
} from "#contract";
import { judgedModels } from "./judge-models.ts";
import { changeIntegration } from "./change.ts";

type Integration = RecordOf<typeof Integrations>;
/** Far more than any provider lists. */
const MAX_MODELS = 1_000;
const PATH = "/models";
const Shown = Type.Object(
  {
    ...Type.Omit(StoredModel, ["pricing_config", "configurations"]).properties,
    name: Type.String({ description: "As people read it." }),
    pricing_config: Type.Optional(GivenModel.properties.pricing_config),
    configurations: Type.Optional(Type.Record(Type.String(), Type.Unknown(), { description: "Its host and headers; these are masked." })),
  },
  { additionalProperties: false },
);

const ModelList = Type.Object({ total: Type.Integer({ minimum: 0, description: "How many." }), models: Type.Array(Shown) });
const list = defineAction(Integrations, {
  method: "GET",
  path: PATH,
  summary: "List the models of an integration",
  description: "Those of which something is said, and then those that the provider is known to have.",
  scope: { as: "read" },
  reply: ModelList,
  run: async (record, input) => {
    const models = [...(record.models ?? []).map((model) => shownModel(model, input)), ...providersOwn(record, input)];
    return { total: models.length, models };
  },
});

const shownModel = ({ pricing_config, configurations, ...model }: IntegrationModel, { vault }: Pick<RuleInput, "vault">) => ({
  ...model,
  name: model.slug,
  ...(pricing_config && { pricing_config }),
  ...(configurations && { configurations: shownConfigurations(configurations, vault) }),
});
const shownConfigurations = (configurations: Json, vault: RuleInput["vault"]): Json => maskSecrets(configurations, vault);

function providersOwn(record: Integration, { catalog }: Pick<RuleInput, "catalog">) {
  const said = new Set(record.models?.map(({ slug }) => slug));
  const known = catalog.providers().find(({ id }) => id === record.ai_provider_id)?.models ?? [];
  const plain = { is_custom: false, is_finetune: false, base_model_slug: null };
  return known.filter((slug) => !said.has(slug)).map((slug) => ({ slug, name: slug, enabled: record.allow_all_models, ...plain }));
}

const Body = Type.Object({
  models: Type.Array(GivenModel, { maxItems: MAX_MODELS, description: "Models to change or add, by slug; others stay as they are." }),
  allow_all_models: Type.Optional(
    Type.Boolean({ description: "May models be asked of which nothing is said here, those included that the provider will have one day?" }),
  ),
  key: Type.Optional(
    Type.String({
      maxLength: 65_536,
      description: "The integration's own key, given again: needed where a model gets a host to which that key did not go before.",
    }),
  ),
});
const write = defineAction(Integrations, {
  method: "PUT",
  path: PATH,
  summary: "Update the models of an integration",
  description:
    "All of them are judged before any is written, and they change together. Members of a model that are left out stay as they are. A change holds everywhere within a second.",
  scope: { as: "update" },
  body: Body,
  reply: Type.Object({}),
  async run(record, input) {
    refusePinned(input.caller, "integrations");
    const { models, allow_all_models } = input.body;
    await changeIntegration(record.id, input, async (current) => ({
      models: bounded([...merged(current.models ?? [], await judgedModels(models, current, input))]),
      ...(allow_all_models !== undefined && { allow_all_models }),
    }));
    return {};
  },
});

const merged = (before: readonly IntegrationModel[], more: readonly IntegrationModel[]) =>
  new Map([...before, ...more].map((model) => [model.slug, model])).values();
function bounded(models: IntegrationModel[]): IntegrationModel[] {
  if (models.length <= MAX_MODELS) return models;
  throw invalid(`An integration holds ${MAX_MODELS} models at most.`, "models");
}

const Query = Type.Object({
  slugs: Type.String({ minLength: 1, maxLength: 65_536, description: "Custom models, with commas between them." }),
});
const remove = defineAction(Integrations, {
  method: "DELETE",
  path: PATH,
  summary: "Delete custom models of an integration",
  description: "Only custom models can be deleted: one of the provider's is disabled. All are there, or none is deleted.",
  scope: { as: "update" },
  query: Query,
  reply: Type.Object({}),
  async run(record, input) {
    refusePinned(input.caller, "integrations");
    const slugs = new Set(input.query.slugs.split(",").map((slug) => slug.trim()));
    await changeIntegration(record.id, input, ({ models: before }) => {
      const models = before ?? [];
      for (const slug of slugs) refuseOthers(slug, models);
      return { models: models.filter(({ slug }) => !slugs.has(slug)) };
    });
    return {};
  },
});
function refuseOthers(slug: string, models: readonly IntegrationModel[]): void {
  const found = models.find((model) => model.slug === slug);
  const shown = slug.slice(0, 200);
  if (!found) throw new GatewayError("NOT_FOUND", { what: `model ${shown} of this integration` }, { param: "slugs" });
  if (!found.is_custom) throw invalid(`The model ${shown} is the provider's own: disable it in its place.`, "slugs");
}
const invalid = (what: string, param: string): GatewayError => new GatewayError("REQUEST_INVALID", { what }, { param });

/** `GET`, `PUT` and `DELETE /integrations/{slug}/models`, and by the path that older clients use. */
export const modelActions = [PATH, "/integration-models"].flatMap((path) => [list, write, remove].map((action) => ({ ...action, path })));
