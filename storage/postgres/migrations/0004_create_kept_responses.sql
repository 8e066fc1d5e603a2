create table "kept_responses" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "created_day" bigint not null,
  "organisation_id" text collate "C" not null,
  "workspace_id" text collate "C",
  "previous_id" text collate "C",
  "bytes" bigint not null
);

create index "kept_responses_created_at_idx" on "kept_responses" ("created_at");

create index "kept_responses_created_day_idx" on "kept_responses" ("created_day");
