create table "plugin_credentials" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "last_updated_at" bigint not null,
  "organisation_id" text collate "C" not null,
  "workspace_id" text collate "C",
  "owner_id" text collate "C" not null,
  "tenant" text collate "C" not null,
  "plugin_id" text collate "C" not null,
  "credentials" json not null
);

create unique index "plugin_credentials_tenant_plugin_id_key" on "plugin_credentials" ("tenant", "plugin_id");

create index "plugin_credentials_organisation_id_workspace_id_idx" on "plugin_credentials" ("organisation_id", "workspace_id");
