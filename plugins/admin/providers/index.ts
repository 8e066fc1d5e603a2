import { Type } from "@sinclair/typebox";
import { definePlugin, Integrations, Providers, Workspaces } from "#contract";
import { providers } from "./resource.ts";

/** Integrations made usable in one workspace. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records"],
  collections: [Providers, Integrations, Workspaces],
  setup: () => ({ provides: { resources: [providers] } }),
});
