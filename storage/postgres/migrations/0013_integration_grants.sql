create table "integration_workspaces" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "last_updated_at" bigint not null,
  "organisation_id" text collate "C" not null,
  "workspace_id" text collate "C" not null,
  "integration_id" text collate "C" not null,
  "enabled" boolean not null,
  "usage_limits" json,
  "rate_limits" json,
  "last_reset_at" bigint
);

create unique index "integration_workspaces_integration_id_workspace_id_key" on "integration_workspaces" ("integration_id", "workspace_id");

alter table "integrations" add column "pricing_adjustments" json;

alter table "integrations" add column "allow_all_models" boolean not null default true;

alter table "integrations" add column "models" json;

alter table "integrations" add column "global_workspace_access" json;
