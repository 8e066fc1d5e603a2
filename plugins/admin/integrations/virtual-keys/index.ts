import { Type } from "@sinclair/typebox";
import { definePlugin, Integrations, IntegrationWorkspaces, Providers, SecretReferences, Workspaces } from "#contract";
import { virtualKeys } from "./resource.ts";

/** An integration and the provider that is made of it, in the form that they had before they were two. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records", "catalog", "vault"],
  collections: [Integrations, IntegrationWorkspaces, Providers, SecretReferences, Workspaces],
  setup: () => ({ provides: { resources: [virtualKeys] } }),
});
