import { type Static, Type } from "@sinclair/typebox";
import {
  DateTime,
  isJson,
  isoTime,
  type Json,
  MetadataSchema,
  Nullable,
  OrganisationKeySettings,
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
  settings: OrganisationKeySettings,
  security_settings: SecuritySettings,
  workspace_overrides: WorkspaceOverrides,
  metadata_schemas: MetadataSchemas,
});
export const Change = Type.Object(
  {
    name: Type.Optional(Name),
    settings: Type.Optional(OrganisationKeySettings),
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
  settings: shownSettings(settings),
  security_settings: organisationSecurity(settings),
  workspace_overrides: overridesOf(settings),
  metadata_schemas: { api_key: null, workspace: null, ...objectIn(settings, "metadata_schemas") },
});

const SWITCHES = ["user_api_key_auto_create", "default_workspace_user_api_key_auto_create", "user_api_key_workspace_overrides"] as const;
const VALUES = ["user_api_key_auto_create_scopes", "user_api_key_rotation_period", "user_api_key_ttl", "user_api_key_limit"] as const;
const shownSettings = (settings: Json): OrganisationKeySettings => ({
  ...Object.fromEntries(SWITCHES.map((name) => [name, settings[name] === true])),
  ...Object.fromEntries(VALUES.map((name) => [name, settings[name] ?? null])), // by their schemas
});
