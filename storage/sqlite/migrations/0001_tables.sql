create table "api_keys" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "last_updated_at" integer not null,
  "organisation_id" text not null,
  "workspace_id" text,
  "user_id" text,
  "created_by" text not null,
  "type" text not null,
  "creation_mode" text not null,
  "name" text not null,
  "description" text,
  "digest" text not null,
  "masked_key" text not null,
  "status" text not null,
  "scopes" text not null,
  "rate_limits" text not null,
  "usage_limits" text,
  "defaults" text not null,
  "alert_emails" text not null,
  "expires_at" integer,
  "rotation_policy" text
);

create unique index "api_keys_digest_key" on "api_keys" ("digest");

create index "api_keys_organisation_id_workspace_id_idx" on "api_keys" ("organisation_id", "workspace_id");

create table "config_versions" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "last_updated_at" integer not null,
  "organisation_id" text not null,
  "workspace_id" text not null,
  "config_id" text not null,
  "name" text not null,
  "status" text not null,
  "is_default" integer not null,
  "updated_by" text,
  "config" text not null
);

create index "config_versions_config_id_idx" on "config_versions" ("config_id");

create table "configs" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "last_updated_at" integer not null,
  "organisation_id" text not null,
  "workspace_id" text not null,
  "owner_id" text not null,
  "updated_by" text,
  "name" text not null,
  "slug" text not null,
  "status" text not null,
  "is_default" integer not null,
  "version_id" text not null,
  "config" text not null
);

create unique index "configs_workspace_id_slug_key" on "configs" ("workspace_id", "slug");

create table "guardrails" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "last_updated_at" integer not null,
  "organisation_id" text not null,
  "workspace_id" text,
  "owner_id" text not null,
  "updated_by" text,
  "name" text not null,
  "slug" text not null,
  "target" text not null,
  "status" text not null,
  "version_id" text not null,
  "checks" text not null,
  "actions" text not null
);

create unique index "guardrails_organisation_id_slug_key" on "guardrails" ("organisation_id", "slug");

create index "guardrails_organisation_id_workspace_id_idx" on "guardrails" ("organisation_id", "workspace_id");

create table "integrations" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "last_updated_at" integer not null,
  "organisation_id" text not null,
  "workspace_id" text,
  "owner_id" text not null,
  "ai_provider_id" text not null,
  "name" text not null,
  "slug" text not null,
  "description" text,
  "status" text not null,
  "key_sealed" text,
  "masked_key" text,
  "configurations" text not null,
  "tags" text not null
);

create unique index "integrations_organisation_id_slug_key" on "integrations" ("organisation_id", "slug");

create index "integrations_organisation_id_workspace_id_idx" on "integrations" ("organisation_id", "workspace_id");

create table "organisations" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "last_updated_at" integer not null,
  "name" text not null,
  "settings" text not null
);

create table "providers" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "last_updated_at" integer not null,
  "organisation_id" text not null,
  "workspace_id" text not null,
  "integration_id" text not null,
  "name" text not null,
  "slug" text not null,
  "note" text,
  "status" text not null,
  "usage_limits" text,
  "rate_limits" text not null,
  "expires_at" integer,
  "tags" text not null
);

create unique index "providers_workspace_id_slug_key" on "providers" ("workspace_id", "slug");

create index "providers_integration_id_idx" on "providers" ("integration_id");

create table "rate_limit_policies" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "last_updated_at" integer not null,
  "organisation_id" text not null,
  "workspace_id" text not null,
  "name" text,
  "target" text not null,
  "type" text not null,
  "unit" text not null,
  "value" real not null,
  "conditions" text not null,
  "group_by" text not null,
  "status" text not null
);

create index "rate_limit_policies_workspace_id_status_idx" on "rate_limit_policies" ("workspace_id", "status");

create table "workspaces" (
  "_seq" integer primary key autoincrement,
  "id" text not null unique,
  "created_at" integer not null,
  "last_updated_at" integer not null,
  "organisation_id" text not null,
  "name" text not null,
  "slug" text not null,
  "description" text,
  "defaults" text not null
);

create unique index "workspaces_organisation_id_slug_key" on "workspaces" ("organisation_id", "slug");
