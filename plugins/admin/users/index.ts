import { Type } from "@sinclair/typebox";
import { ApiKeys, definePlugin, Invites, Organisations, Users, WorkspaceMembers, Workspaces } from "#contract";
import { accept, acceptHint } from "./accept.ts";
import { invites } from "./invites.ts";
import { users } from "./resource.ts";

/** People of the organisation, and invitations to it. */
export default definePlugin({
  kind: "admin",
  config: Type.Object({}, { additionalProperties: false }),
  needs: ["records", "vault", "catalog"],
  collections: [ApiKeys, Invites, Organisations, Users, WorkspaceMembers, Workspaces],
  setup: (parts) => ({ provides: { resources: [users, invites], routes: [accept(parts), acceptHint] } }),
});
