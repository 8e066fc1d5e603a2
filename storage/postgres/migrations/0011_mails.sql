create table "mails" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "last_updated_at" bigint not null,
  "organisation_id" text collate "C" not null,
  "kind" text collate "C" not null,
  "recipient" text collate "C" not null,
  "subject" text collate "C" not null,
  "status" text collate "C" not null,
  "attempts" bigint not null,
  "last_error" text collate "C",
  "next_attempt_at" bigint,
  "expires_at" bigint not null,
  "sent_at" bigint,
  "sealed" text collate "C"
);

create index "mails_organisation_id_created_at_idx" on "mails" ("organisation_id", "created_at");

create index "mails_status_next_attempt_at_idx" on "mails" ("status", "next_attempt_at");

create index "mails_created_at_idx" on "mails" ("created_at");
