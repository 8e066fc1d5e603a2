create table "owned_ids" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "organisation_id" text not null,
  "workspace_id" text,
  "tenant" text not null,
  "credential" text not null,
  "integration_id" text,
  "object" text not null,
  "created_at" integer not null
);

create index "owned_ids_object_credential_idx" on "owned_ids" ("object", "credential");

create index "owned_ids_object_integration_id_idx" on "owned_ids" ("object", "integration_id");

create index "owned_ids_created_at_idx" on "owned_ids" ("created_at");
