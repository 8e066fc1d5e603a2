create table "integration_workspaces" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "last_updated_at" integer not null,
  "organisation_id" text not null,
  "workspace_id" text not null,
  "integration_id" text not null,
  "enabled" integer not null,
  "usage_limits" text,
  "rate_limits" text,
  "last_reset_at" integer
);

create unique index "integration_workspaces_integration_id_workspace_id_key" on "integration_workspaces" ("integration_id", "workspace_id");

alter table "integrations" add column "pricing_adjustments" text;

alter table "integrations" add column "allow_all_models" integer not null default true;

alter table "integrations" add column "models" text;

alter table "integrations" add column "global_workspace_access" text;
