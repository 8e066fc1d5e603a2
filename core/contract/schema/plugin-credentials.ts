import { Type } from "@sinclair/typebox";
import { collectionOf } from "../field/collection.ts";
import { field } from "../field/field.ts";
import { JsonObject, Nullable, Uuid } from "./column.ts";
import { SecretMappings } from "./secret-reference.ts";

/** What an organisation or a workspace keeps for the checks of one guardrail plugin: its account with the plugin's vendor. */
export const PluginCredentials = collectionOf({
  name: "plugin_credentials",
  tenancy: "either",
  fields: {
    owner_id: field(Uuid("Who made it."), { default: ({ actor }) => actor }),
    /** One value to look records up by, whichever level they are of. */
    tenant: field(Uuid("The workspace, or the organisation where it is the organisation's."), {
      default: ({ workspaceId, organisationId }) => workspaceId ?? organisationId,
    }),
    plugin_id: field(
      Type.String({ minLength: 1, maxLength: 64, description: "Guardrail plugin, the part of its check ids before the dot." }),
      {
        create: "required",
        view: true,
      },
    ),
    /** The plugin's own schema says which are there, and which are secret. */
    credentials: field(
      JsonObject("Members as the plugin has them; secrets are masked."),
      { create: "optional", update: true, view: "alone", secret: "inside", default: {} },
      {
        schema: JsonObject(
          "Members as the plugin has them. Secrets left out of an update, or sent back masked, stay as they are; null takes one away. While a secret stays, the members that say where it goes or whom it stands for stay too: to change those, give it again.",
        ),
      },
    ),
    secret_mappings: field(Nullable(SecretMappings), { create: "optional", update: true, view: "alone" }),
  },
  unique: [["tenant", "plugin_id"]],
  index: [["organisation_id", "workspace_id"]],
});
