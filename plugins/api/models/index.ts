import { Type } from "@sinclair/typebox";
import { type Control, definePlugin, Integrations, Providers, type TargetNode, NO_CONTENT } from "#contract";
import { catalogue } from "./catalogue.ts";
import { ModelList, ModelsQuery } from "./schema.ts";

/** `GET /v1/models`: the list of the provider the request names, else the workspace's catalogue. */
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
          description:
            "With a provider, or a config that names one, the provider's own list; without, or with x-gateway-fetch-integrated-models: true, the workspace's catalogue.",
          local: async (call, caller, plan) =>
            plan.root.members["fetch_integrated_models"] === true || wantsCatalogue(call.control) || !namesProvider(call.control, plan.root)
              ? catalogue(host.records, host.catalog, caller.workspaceId, call.search)
              : undefined,
        },
      ],
    },
  }),
});

const wantsCatalogue = (control: Control): boolean => control.integratedModels === true || control.modelsEndpoint !== undefined;

const namesProvider = (control: Control, root: TargetNode): boolean =>
  control.provider !== undefined || control.virtualKey !== undefined || control.customHost !== undefined || hasTarget(root);

const hasTarget = (node: TargetNode): boolean => (node.kind === "leaf" ? node.provider !== null : node.targets.some(hasTarget));
