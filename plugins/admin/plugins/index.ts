import { Type } from "@sinclair/typebox";
import { ApiKeys, definePlugin, PluginCredentials, SecretReferences, Workspaces } from "#contract";
import { plugins } from "./resource.ts";

/** Accounts with the vendors of guardrail checks. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records", "catalog", "vault"],
  collections: [PluginCredentials, SecretReferences, ApiKeys, Workspaces],
  setup: () => ({ provides: { resources: [plugins] } }),
});
