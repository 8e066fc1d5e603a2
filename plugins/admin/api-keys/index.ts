import { Type } from "@sinclair/typebox";
import { ApiKeys, Configs, definePlugin, Organisations, Users, WorkspaceMembers, Workspaces } from "#contract";
import { apiKeys } from "./resource.ts";

/** Gateway keys of the organisation and of workspaces. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records", "vault"],
  collections: [ApiKeys, Configs, Organisations, Users, WorkspaceMembers, Workspaces],
  setup: () => ({ provides: { resources: [apiKeys] } }),
});
