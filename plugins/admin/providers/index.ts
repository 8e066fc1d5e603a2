import { Type } from "@sinclair/typebox";
import { definePlugin, Integrations, IntegrationWorkspaces, Providers, Workspaces } from "#contract";
import { providers } from "./resource.ts";

/** Integrations made usable in one workspace. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records"],
  collections: [Providers, Integrations, IntegrationWorkspaces, Workspaces],
  setup: () => ({ provides: { resources: [providers] } }),
});
