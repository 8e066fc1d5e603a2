create table "invites" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "last_updated_at" integer not null,
  "organisation_id" text not null,
  "email" text not null,
  "role" text not null,
  "workspaces" text not null,
  "workspace_api_key_details" text,
  "status" text not null,
  "invited_by" text not null,
  "expires_at" integer not null,
  "accepted_at" integer,
  "token_digest" text not null
);

create unique index "invites_token_digest_key" on "invites" ("token_digest");

create index "invites_organisation_id_status_idx" on "invites" ("organisation_id", "status");

create table "users" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "last_updated_at" integer not null,
  "organisation_id" text not null,
  "first_name" text not null,
  "last_name" text not null,
  "role" text not null,
  "email" text not null
);

create unique index "users_organisation_id_email_key" on "users" ("organisation_id", "email");

create table "workspace_members" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "last_updated_at" integer not null,
  "organisation_id" text not null,
  "workspace_id" text not null,
  "user_id" text not null,
  "role" text not null
);

create unique index "workspace_members_workspace_id_user_id_key" on "workspace_members" ("workspace_id", "user_id");

create index "workspace_members_user_id_idx" on "workspace_members" ("user_id");

create index "workspace_members_organisation_id_idx" on "workspace_members" ("organisation_id");

alter table "workspaces" add column "usage_limits" text;

alter table "workspaces" add column "rate_limits" text;

alter table "workspaces" add column "security_settings" text;

alter table "workspaces" add column "status" text not null default 'active';
