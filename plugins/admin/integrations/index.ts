import { Type } from "@sinclair/typebox";
import { definePlugin, Integrations, IntegrationWorkspaces, Providers, SecretReferences, Workspaces } from "#contract";
import { integrations } from "./resource.ts";

/** Credentials and settings for model providers. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records", "catalog", "vault"],
  collections: [Integrations, IntegrationWorkspaces, Providers, SecretReferences, Workspaces],
  setup: () => ({ provides: { resources: [integrations] } }),
});
