create table "mails" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "last_updated_at" integer not null,
  "organisation_id" text not null,
  "kind" text not null,
  "recipient" text not null,
  "subject" text not null,
  "status" text not null,
  "attempts" integer not null,
  "last_error" text,
  "next_attempt_at" integer,
  "expires_at" integer not null,
  "sent_at" integer,
  "sealed" text
);

create index "mails_organisation_id_created_at_idx" on "mails" ("organisation_id", "created_at");

create index "mails_status_next_attempt_at_idx" on "mails" ("status", "next_attempt_at");

create index "mails_created_at_idx" on "mails" ("created_at");
