-- What the PostgreSQL backend keeps besides the collections. Written by hand.
create table "_counters" (
  "key" text collate "C" not null primary key,
  "value" double precision not null,
  "expires_at" bigint not null
) with (fillfactor = 50);
create index "_counters_expires_at" on "_counters" ("expires_at");

create table "_kv" (
  "key" text collate "C" not null primary key,
  "value" bytea not null,
  "expires_at" bigint
);
create index "_kv_expires_at" on "_kv" ("expires_at") where "expires_at" is not null;

create table "logs" (
  "id" text collate "C" not null primary key,
  "organisation_id" text collate "C" not null,
  "workspace_id" text collate "C",
  "created_at" bigint not null,
  "trace_id" text collate "C" not null,
  "provider" text collate "C",
  "model" text collate "C",
  "status" integer not null,
  "cost_cents" double precision,
  "input_tokens" bigint not null,
  "output_tokens" bigint not null,
  "response_time_ms" double precision not null,
  "api_key_id" text collate "C",
  "cache_status" text collate "C" not null,
  "metadata" json not null,
  "facts" json,
  "request" text,
  "sent" text,
  "response" text,
  "hooks" text,
  "bytes" integer not null
);
create index "logs_created_at" on "logs" ("created_at", "id") include ("bytes");
create index "logs_workspace_created_at" on "logs" ("workspace_id", "created_at");
