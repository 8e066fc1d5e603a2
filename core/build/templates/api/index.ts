import { Type } from "@sinclair/typebox";
import { definePlugin, defineRoute } from "#contract";

const Reply = Type.Object({
  object: Type.Literal("sprocket"),
  workspace_id: Type.Union([Type.String(), Type.Null()], { description: "Workspace of the key." }),
});

const read = defineRoute({
  plane: "data",
  method: "GET",
  path: "/sprocket",
  tag: "Sprocket",
  summary: "Read Sprocket",
  scope: "models.list", // one there is, or one of the manifest's `scopes`; `{ public: true }` where nobody need be known
  reply: Reply,
  errors: [401, 403],
  handle: ({ caller }) => ({ object: "sprocket" as const, workspace_id: caller.workspaceId }),
});

/** `GET /v1/sprocket`. An operation that providers serve is mounted under `operations` instead: a row of OPERATIONS, or one of its own. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({ provides: { routes: [read] } }),
});
