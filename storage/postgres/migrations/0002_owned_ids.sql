create table "owned_ids" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "organisation_id" text collate "C" not null,
  "workspace_id" text collate "C",
  "tenant" text collate "C" not null,
  "credential" text collate "C" not null,
  "integration_id" text collate "C",
  "object" text collate "C" not null,
  "created_at" bigint not null
);

create index "owned_ids_object_credential_idx" on "owned_ids" ("object", "credential");

create index "owned_ids_object_integration_id_idx" on "owned_ids" ("object", "integration_id");

create index "owned_ids_created_at_idx" on "owned_ids" ("created_at");
