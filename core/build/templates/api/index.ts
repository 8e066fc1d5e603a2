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
  scope: "models.list", // a scope of SCOPE_TABLE; `{ public: true }` where nobody need be known
  reply: Reply,
  errors: [401, 403],
  handle: ({ caller }) => ({ object: "sprocket" as const, workspace_id: caller.workspaceId }),
});

/** `GET /v1/sprocket`. An operation that providers serve is a row of OPERATIONS instead, mounted under `operations`. */
export default definePlugin({
  kind: "api",
  config: Type.Object({}, { additionalProperties: false }),
  needs: [],
  setup: () => ({ provides: { routes: [read] } }),
});
