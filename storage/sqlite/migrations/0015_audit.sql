create table "audit_entries" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "organisation_id" text not null,
  "workspace_id" text,
  "sequence" integer not null,
  "actor_type" text not null,
  "actor_id" text,
  "actor_name" text,
  "actor_role" text,
  "action" text not null,
  "resource_type" text not null,
  "resource_id" text,
  "method" text,
  "uri" text,
  "query_params" text,
  "request_id" text,
  "request_headers" text,
  "client_ip" text,
  "user_agent" text,
  "country" text,
  "status" integer not null,
  "before" text,
  "after" text,
  "count" integer not null,
  "previous_hash" text not null,
  "hash" text not null
);

create unique index "audit_entries_organisation_id_sequence_key" on "audit_entries" ("organisation_id", "sequence");

create index "audit_entries_organisation_id_created_at_idx" on "audit_entries" ("organisation_id", "created_at");

create table "audit_heads" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "sequence" integer not null,
  "hash" text not null,
  "anchor_sequence" integer not null,
  "anchor_hash" text not null,
  "anchored_at" integer
);
