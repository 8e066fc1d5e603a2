create table "kept_responses" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "created_day" integer not null,
  "organisation_id" text not null,
  "workspace_id" text,
  "previous_id" text,
  "bytes" integer not null
);

create index "kept_responses_created_at_idx" on "kept_responses" ("created_at");

create index "kept_responses_created_day_idx" on "kept_responses" ("created_day");
