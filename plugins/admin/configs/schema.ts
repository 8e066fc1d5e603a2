import { Type } from "@sinclair/typebox";
import { ConfigBody, DateTime, JsonObject, Nullable, OneOf, Uuid } from "#contract";

const name = Type.String({ minLength: 1, maxLength: 255, description: "Name." });
const status = OneOf(["active", "archived"], { description: "State." });
const success = Type.Boolean({ description: "Always true." });

const summary = {
  id: Uuid("Id."),
  name: Type.String({ description: "Name." }),
  slug: Type.String({ description: "Short name; what `x-gateway-config` carries." }),
  organisation_id: Uuid("Organisation."),
  workspace_id: Uuid("Workspace."),
  is_default: Type.Integer({ description: "1 marks the workspace's default." }),
  status,
  owner_id: Uuid("Who made it."),
  updated_by: Nullable(Uuid("Who wrote it last.")),
  created_at: DateTime("When it was made."),
  last_updated_at: DateTime("When it was last written."),
};
const written = { format: Type.Literal("json"), type: Type.Literal("config"), version_id: Uuid("Id of this version.") };

export const ConfigSummary = Type.Object(summary);
/** Specification 2.11, and what else is known of a config. */
export const ConfigDetails = Type.Object({
  success,
  data: Type.Object({ config: JsonObject("The config; credentials in it are masked."), ...summary, ...written }),
});
export const ConfigVersion = Type.Object({
  ...summary,
  config: Type.String({ description: "The config as JSON text." }),
  ...written,
  object: Type.Literal("config"),
});

export const CreateBody = Type.Object({
  name: Type.Optional({ ...name, default: "config" }),
  config: ConfigBody,
  isDefault: Type.Optional(Type.Integer({ minimum: 0, maximum: 1, default: 0, description: "1 makes it the workspace's default." })),
});
export const CreateReply = Type.Object({
  success,
  data: Type.Object({ id: Uuid("Id."), version_id: Uuid("Id of the first version."), slug: Type.String({ description: "Short name." }) }),
});
export const UpdateBody = Type.Object({ name: Type.Optional(name), config: Type.Optional(ConfigBody), status: Type.Optional(status) });
export const UpdateReply = Type.Object({ success, data: Type.Object({ version_id: Uuid("Id of the new version.") }) });
