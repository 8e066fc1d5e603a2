import { type Static, Type } from "@sinclair/typebox";
import {
  DateTime,
  isJson,
  isoTime,
  type Json,
  MetadataSchema,
  Nullable,
  organisationSecurity,
  type Organisations,
  overridesOf,
  type RecordOf,
  SecuritySettings,
  Uuid,
  WorkspaceOverrides,
} from "#contract";

const closed = { additionalProperties: false } as const;
const Name = Type.String({ minLength: 1, maxLength: 255, description: "Name." });
const Settings = Type.Object(
  {
    user_api_key_auto_create: Type.Optional(
      Type.Boolean({
        description: "Whoever accepts an invite gets a user key in each of its workspaces, also where the invite promises none.",
      }),
    ),
    user_api_key_auto_create_scopes: Type.Optional(
      Nullable(
        Type.Array(Type.String({ maxLength: 128 }), {
          maxItems: 500,
          description: "What such keys may hold at most, whatever an invite says; null is what the person's role allows.",
        }),
      ),
    ),
  },
  { ...closed, description: "Members left out stay as they are." },
);
const MetadataSchemas = Type.Object(
  { api_key: Type.Optional(Nullable(MetadataSchema)), workspace: Type.Optional(Nullable(MetadataSchema)) },
  { ...closed, description: "What metadata of keys and of workspaces must hold when they are written; null asks for nothing." },
);

export const Organisation = Type.Object({
  object: Type.Literal("organisation"),
  id: Uuid("Id."),
  name: Name,
  created_at: DateTime("When it was made."),
  last_updated_at: DateTime("When it was last written."),
  settings: Settings,
  security_settings: SecuritySettings,
  workspace_overrides: WorkspaceOverrides,
  metadata_schemas: MetadataSchemas,
});
export const Change = Type.Object(
  {
    name: Type.Optional(Name),
    settings: Type.Optional(Settings),
    security_settings: Type.Optional(SecuritySettings),
    workspace_overrides: Type.Optional(WorkspaceOverrides),
    metadata_schemas: Type.Optional(MetadataSchemas),
  },
  closed,
);
export type Change = Static<typeof Change>;

const objectIn = (from: Json, member: string): Json => (isJson(from[member]) ? from[member] : {});
/** Built member by member: what else the record keeps is nobody's business. */
export const shownOrganisation = ({ id, name, created_at, last_updated_at, settings }: RecordOf<typeof Organisations>) => ({
  object: "organisation" as const,
  ...{ id, name, created_at: isoTime(created_at), last_updated_at: isoTime(last_updated_at) },
  settings: {
    user_api_key_auto_create: settings["user_api_key_auto_create"] === true,
    user_api_key_auto_create_scopes: (settings["user_api_key_auto_create_scopes"] ?? null) as string[] | null, // by its schema
  },
  security_settings: organisationSecurity(settings),
  workspace_overrides: overridesOf(settings),
  metadata_schemas: { api_key: null, workspace: null, ...objectIn(settings, "metadata_schemas") },
});
