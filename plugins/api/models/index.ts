import { Type } from "@sinclair/typebox";
import { type Control, definePlugin, GatewayError, Integrations, Providers, type TargetNode, NO_CONTENT } from "#contract";
import { catalogue, catalogued } from "./catalogue.ts";
import { Model, ModelDeleted, ModelList, ModelsQuery } from "./schema.ts";

/** `/v1/models`: what the provider that the request names has, else the workspace's catalogue. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records", "catalog"],
  collections: [Integrations, Providers],
  setup: (host) => ({
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
            "With a provider, or a config that names one, the provider's own list; without, or with x-gateway-fetch-integrated-models: true, the workspace's catalogue.",
          local: async (call, caller, plan) =>
            plan.root.members["fetch_integrated_models"] === true || wantsCatalogue(call.control) || !namesProvider(call.control, plan.root)
              ? catalogue(host.records, host.catalog, caller.workspaceId, call.search)
              : undefined,
        },
        {
          operation: "retrieveModel",
          content: NO_CONTENT,
          reply: Model,
          description:
            "A model of the workspace's catalogue by the name that has there (`@slug/model`), else the provider's own. The name may hold slashes, as they are or encoded.",
          local: async ({ params, control }, caller, { root }) => {
            const model = params["model"] ?? "";
            if (!wantsCatalogue(control) && namesProvider(control, root)) return undefined;
            const found = await catalogued(host.records, host.catalog, caller.workspaceId, model);
            if (found || (model.startsWith("@") && !wantsCatalogue(control))) return found; // a provider may have more than is listed
            throw new GatewayError("NOT_FOUND", { what: `model ${model.slice(0, 200)} in this workspace's catalogue` }, { param: "model" });
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
  }),
});

const wantsCatalogue = (control: Control): boolean => control.integratedModels === true || control.modelsEndpoint !== undefined;

const namesProvider = (control: Control, root: TargetNode): boolean =>
  control.provider !== undefined || control.virtualKey !== undefined || control.customHost !== undefined || hasTarget(root);

const hasTarget = (node: TargetNode): boolean => (node.kind === "leaf" ? node.provider !== null : node.targets.some(hasTarget));
