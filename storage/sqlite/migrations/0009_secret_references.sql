alter table "integrations" add column "secret_mappings" text;

create table "secret_references" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "last_updated_at" integer not null,
  "organisation_id" text not null,
  "name" text not null,
  "slug" text not null,
  "description" text,
  "manager_type" text not null,
  "auth_config" text not null,
  "secret_path" text not null,
  "secret_key" text,
  "allow_all_workspaces" integer not null,
  "allowed_workspaces" text not null,
  "tags" text,
  "status" text not null,
  "created_by" text not null
);

create unique index "secret_references_organisation_id_slug_key" on "secret_references" ("organisation_id", "slug");
