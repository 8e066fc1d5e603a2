import { Type } from "@sinclair/typebox";
import {
  type Call,
  type Caller,
  type Control,
  definePlugin,
  GatewayError,
  Integrations,
  IntegrationWorkspaces,
  type Json,
  NO_CONTENT,
  type Plan,
  Providers,
  type TargetNode,
} from "#contract";
import { errorBody } from "../content/google-failure.ts";
import { anthropicModel, anthropicModels, anthropicPage, isAnthropicClient } from "./anthropic.ts";
import { catalogue, catalogued } from "./catalogue.ts";
import { GOOGLE_PAGE, GoogleModel, GoogleModelList, googleModel, googleModels, GoogleModelsQuery, googlePage } from "./google.ts";
import { limitedProviders, savedSlug } from "./limited.ts";
import { Model, ModelDeleted, ModelList, ModelsQuery } from "./schema.ts";

/** `/v1/models`, and `/v1beta/models` in Google's form: what the provider that the request names has, else the workspace's catalogue. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records", "catalog"],
  collections: [Integrations, IntegrationWorkspaces, Providers],
  setup: (host) => {
    const oneOf = async ({ params, control }: Call, { workspaceId }: Caller, { root }: Plan): Promise<Json | undefined> => {
      const model = params["model"] ?? "";
      if (!wantsCatalogue(control) && namesProvider(control, root)) return undefined;
      const found = await catalogued(host.records, host.catalog, workspaceId, model);
      if (found || (model.startsWith("@") && !wantsCatalogue(control))) return found; // a provider may have more than is listed
      throw new GatewayError("NOT_FOUND", { what: `model ${model.slice(0, 200)} in this workspace's catalogue` }, { param: "model" });
    };
    const isLimited = limitedProviders(host.records);
    /** Of which saved providers the catalogue is asked; `undefined` where the provider is asked itself. */
    const slugsAsked = async (call: Call, { workspaceId }: Caller, plan: Plan): Promise<ReadonlySet<string> | undefined> => {
      if (isOfCatalogue(call, plan)) return slugsIn(plan.root);
      const slug = savedSlug(call.control, plan.root);
      return slug !== undefined && (await isLimited(slug, workspaceId)) ? new Set([slug]) : undefined;
    };
    const catalogueFor = (workspaceId: string | null, slugs: ReadonlySet<string>, search: string): Promise<Json> =>
      catalogue(host.records, host.catalog, workspaceId, { search, slugs });
    return {
      provides: {
        obeys: {
          config: {
            fetch_integrated_models: Type.Boolean({ description: "Models list: answer with the workspace's catalogue. Default false." }),
          },
        },
        operations: [
          {
            operation: "listModels",
            content: NO_CONTENT,
            query: ModelsQuery,
            reply: ModelList,
            owned: { lists: "not-others" },
            description:
              "With a provider, or a config that names one, the provider's own list, or what its integration allows of it where that limits its models; without, or with x-gateway-fetch-integrated-models: true, the workspace's catalogue. To who sends anthropic-version, in Anthropic's form.",
            answered: (list, { call, provider }) => (isAnthropicClient(call) ? anthropicModels(list, call.search) : { ...list, provider }),
            local: async (call, caller, plan) => {
              const slugs = await slugsAsked(call, caller, plan);
              if (slugs === undefined) return undefined;
              const catalogueOf = (search: string): Promise<Json> => catalogueFor(caller.workspaceId, slugs, search);
              return isAnthropicClient(call) ? anthropicPage(call.search, catalogueOf) : catalogueOf(call.search);
            },
          },
          {
            operation: "listGeminiModels",
            content: NO_CONTENT,
            failure: errorBody,
            query: GoogleModelsQuery,
            reply: GoogleModelList,
            owned: { lists: "not-others", page: GOOGLE_PAGE },
            served: { by: "listModels", request: (body) => body, answer: googleModels },
            description: "The models of `/v1/models` as Google's own client reads them.",
            local: async (call, caller, plan) => {
              const slugs = await slugsAsked(call, caller, plan);
              return slugs && googlePage(call.search, (search) => catalogueFor(caller.workspaceId, slugs, search));
            },
          },
          {
            operation: "retrieveModel",
            content: NO_CONTENT,
            reply: Model,
            description:
              "A model of the workspace's catalogue by the name that has there (`@slug/model`), else the provider's own. The name may hold slashes, as they are or encoded. To who sends anthropic-version, in Anthropic's form.",
            answered: (model, { call }) => (isAnthropicClient(call) ? anthropicModel(model) : model),
            local: async (call, caller, plan) => {
              const found = await oneOf(call, caller, plan);
              return found && isAnthropicClient(call) ? anthropicModel(found) : found;
            },
          },
          {
            operation: "getGeminiModel",
            content: NO_CONTENT,
            failure: errorBody,
            reply: GoogleModel,
            served: { by: "retrieveModel", request: (body) => body, answer: googleModel },
            description: "A model of `/v1/models/{model}` as Google's own client reads it.",
            local: async (call, caller, plan) => {
              const found = await oneOf(call, caller, plan);
              return found && googleModel(found);
            },
          },
          {
            operation: "deleteModel",
            content: NO_CONTENT,
            reply: ModelDeleted,
            owned: { params: ["model"] },
            description: "Deletes a fine-tuned model at its provider. One of `@slug/model` is that saved provider's.",
          },
        ],
      },
    };
  },
});

const isOfCatalogue = ({ control }: Call, { root }: Plan): boolean =>
  root.members["fetch_integrated_models"] === true || wantsCatalogue(control) || !namesProvider(control, root);

const wantsCatalogue = (control: Control): boolean => control.integratedModels === true || control.modelsEndpoint !== undefined;

const namesProvider = (control: Control, root: TargetNode): boolean =>
  control.provider !== undefined || control.virtualKey !== undefined || control.customHost !== undefined || hasTarget(root);

const hasTarget = (node: TargetNode): boolean => (node.kind === "leaf" ? node.provider !== null : node.targets.some(hasTarget));

/** The saved providers that a config names, as `@slug` or in a model that it sets: the catalogue is of those, where there are any. */
function slugsIn(node: TargetNode): ReadonlySet<string> {
  if (node.kind === "branch") return new Set(node.targets.flatMap((target) => [...slugsIn(target)]));
  return new Set([node.provider, node.overrideParams?.["model"]].flatMap(slugOf));
}
const slugOf = (reference: unknown): string[] =>
  typeof reference === "string" && reference.startsWith("@") ? [reference.slice(1).split("/", 1)[0] ?? ""] : [];
