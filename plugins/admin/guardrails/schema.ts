import { Type } from "@sinclair/typebox";
import { DateTime, GuardrailActions, GuardrailCheck, Nullable, OneOf, Uuid } from "#contract";

const name = Type.String({ minLength: 1, maxLength: 255, description: "Name." });
const checks = Type.Array(GuardrailCheck, { minItems: 1, maxItems: 100, description: "Checks; required when the target is `llm`." });
const target = OneOf(["llm", "mcp_tools"], { default: "llm", description: "What it guards. It cannot be changed later." });

/** Specification 2.1 */
const summary = {
  id: Uuid("Id."),
  name: Type.String({ description: "Name." }),
  slug: Type.String({ description: "Short name; configs refer to it." }),
  target: OneOf(["llm", "mcp_tools"], { description: "What it guards." }),
  organisation_id: Uuid("Organisation."),
  workspace_id: Nullable(Uuid("Workspace; null for an organisation guardrail.")),
  status: OneOf(["active", "archived"], { description: "State." }),
  created_at: DateTime("When it was made."),
  last_updated_at: DateTime("When it was last written."),
  owner_id: Uuid("Who made it."),
  updated_by: Nullable(Uuid("Who wrote it last.")),
};
export const GuardrailSummary = Type.Object(summary);

/** Specification 2.2; `mcp_server_mappings` is there when the target is `mcp_tools`. */
export const GuardrailDetails = Type.Object({
  ...summary,
  version_id: Uuid("Id of this version."),
  checks: Type.Array(GuardrailCheck, { description: "Checks." }),
  actions: GuardrailActions,
  mcp_server_mappings: Type.Optional(Type.Array(Type.Unknown(), { description: "MCP servers it is attached to." })),
});

export const ListQuery = Type.Object({
  ids: Type.Optional(Type.String({ maxLength: 40_000, pattern: "^[0-9a-fA-F, -]*$", description: "Only these, comma-separated." })),
  target: Type.Optional(OneOf(["llm", "mcp_tools"], { description: "Only of this target; both when left out." })),
});
export const CreateBody = Type.Object({
  name,
  target: Type.Optional(target),
  checks: Type.Optional(checks),
  actions: Type.Optional(GuardrailActions),
});
export const CreateReply = Type.Object({
  id: Uuid("Id."),
  slug: Type.String({ description: "Short name." }),
  version_id: Uuid("Id of the first version."),
  created_at: DateTime("When it was made."),
  created_by: Uuid("Who made it."),
});
export const UpdateBody = Type.Object({
  name: Type.Optional(name),
  checks: Type.Optional(checks),
  actions: Type.Optional(GuardrailActions),
});
export const UpdateReply = Type.Object({
  id: Uuid("Id."),
  slug: Type.String({ description: "Short name." }),
  version_id: Uuid("Id of the new version."),
});
