alter table "integrations" add column "secret_mappings" json;

create table "secret_references" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "last_updated_at" bigint not null,
  "organisation_id" text collate "C" not null,
  "name" text collate "C" not null,
  "slug" text collate "C" not null,
  "description" text collate "C",
  "manager_type" text collate "C" not null,
  "auth_config" json not null,
  "secret_path" text collate "C" not null,
  "secret_key" text collate "C",
  "allow_all_workspaces" boolean not null,
  "allowed_workspaces" json not null,
  "tags" json,
  "status" text collate "C" not null,
  "created_by" text collate "C" not null
);

create unique index "secret_references_organisation_id_slug_key" on "secret_references" ("organisation_id", "slug");
