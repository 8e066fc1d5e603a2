-- One row per stored request. Written by hand.
create table "logs" (
  "id" text primary key,
  "organisation_id" text not null,
  "workspace_id" text,
  "created_at" integer not null,
  "trace_id" text not null,
  "provider" text,
  "model" text,
  "status" integer not null,
  "cost_cents" real,
  "input_tokens" integer not null,
  "output_tokens" integer not null,
  "response_time_ms" real not null,
  "api_key_id" text,
  "cache_status" text not null,
  "metadata" text not null,
  "facts" text,
  "request" text,
  "sent" text,
  "response" text,
  "hooks" text,
  "bytes" integer not null
);
create index "logs_created_at" on "logs" ("created_at", "bytes");
create index "logs_workspace_created_at" on "logs" ("workspace_id", "created_at");
