create table "plugin_credentials" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "last_updated_at" integer not null,
  "organisation_id" text not null,
  "workspace_id" text,
  "owner_id" text not null,
  "tenant" text not null,
  "plugin_id" text not null,
  "credentials" text not null
);

create unique index "plugin_credentials_tenant_plugin_id_key" on "plugin_credentials" ("tenant", "plugin_id");

create index "plugin_credentials_organisation_id_workspace_id_idx" on "plugin_credentials" ("organisation_id", "workspace_id");
