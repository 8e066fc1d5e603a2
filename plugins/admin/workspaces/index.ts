import { Type } from "@sinclair/typebox";
import {
  ApiKeys,
  Configs,
  definePlugin,
  Guardrails,
  Integrations,
  IntegrationWorkspaces,
  Organisations,
  PluginCredentials,
  Providers,
  RateLimitPolicies,
  SecretReferences,
  Users,
  WorkspaceMembers,
  Workspaces,
} from "#contract";
import { memberRoutes } from "./members.ts";
import { workspaces } from "./resource.ts";

/** Workspaces of the organisation, and their members. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records", "vault", "catalog"],
  collections: [
    ...[ApiKeys, Configs, Guardrails, Integrations, IntegrationWorkspaces, Organisations, PluginCredentials, Providers, RateLimitPolicies],
    ...[SecretReferences, Users, WorkspaceMembers, Workspaces],
  ],
  setup: (parts) => ({ provides: { resources: [workspaces], routes: memberRoutes(parts) } }),
});
