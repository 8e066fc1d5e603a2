create table "invites" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "last_updated_at" bigint not null,
  "organisation_id" text collate "C" not null,
  "email" text collate "C" not null,
  "role" text collate "C" not null,
  "workspaces" json not null,
  "workspace_api_key_details" json,
  "status" text collate "C" not null,
  "invited_by" text collate "C" not null,
  "expires_at" bigint not null,
  "accepted_at" bigint,
  "token_digest" text collate "C" not null
);

create unique index "invites_token_digest_key" on "invites" ("token_digest");

create index "invites_organisation_id_status_idx" on "invites" ("organisation_id", "status");

create table "users" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "last_updated_at" bigint not null,
  "organisation_id" text collate "C" not null,
  "first_name" text collate "C" not null,
  "last_name" text collate "C" not null,
  "role" text collate "C" not null,
  "email" text collate "C" not null
);

create unique index "users_organisation_id_email_key" on "users" ("organisation_id", "email");

create table "workspace_members" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "last_updated_at" bigint not null,
  "organisation_id" text collate "C" not null,
  "workspace_id" text collate "C" not null,
  "user_id" text collate "C" not null,
  "role" text collate "C" not null
);

create unique index "workspace_members_workspace_id_user_id_key" on "workspace_members" ("workspace_id", "user_id");

create index "workspace_members_user_id_idx" on "workspace_members" ("user_id");

create index "workspace_members_organisation_id_idx" on "workspace_members" ("organisation_id");

alter table "workspaces" add column "usage_limits" json;

alter table "workspaces" add column "rate_limits" json;

alter table "workspaces" add column "security_settings" json;

alter table "workspaces" add column "status" text collate "C" not null default 'active';
