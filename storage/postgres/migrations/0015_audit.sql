create table "audit_entries" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "organisation_id" text collate "C" not null,
  "workspace_id" text collate "C",
  "sequence" bigint not null,
  "actor_type" text collate "C" not null,
  "actor_id" text collate "C",
  "actor_name" text collate "C",
  "actor_role" text collate "C",
  "action" text collate "C" not null,
  "resource_type" text collate "C" not null,
  "resource_id" text collate "C",
  "method" text collate "C",
  "uri" text collate "C",
  "query_params" text collate "C",
  "request_id" text collate "C",
  "request_headers" json,
  "client_ip" text collate "C",
  "user_agent" text collate "C",
  "country" text collate "C",
  "status" integer not null,
  "before" json,
  "after" json,
  "count" bigint not null,
  "previous_hash" text collate "C" not null,
  "hash" text collate "C" not null
);

create unique index "audit_entries_organisation_id_sequence_key" on "audit_entries" ("organisation_id", "sequence");

create index "audit_entries_organisation_id_created_at_idx" on "audit_entries" ("organisation_id", "created_at");

create table "audit_heads" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "sequence" bigint not null,
  "hash" text collate "C" not null,
  "anchor_sequence" bigint not null,
  "anchor_hash" text collate "C" not null,
  "anchored_at" bigint
);
