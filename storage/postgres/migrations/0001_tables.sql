create table "api_keys" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "last_updated_at" bigint not null,
  "organisation_id" text collate "C" not null,
  "workspace_id" text collate "C",
  "user_id" text collate "C",
  "created_by" text collate "C" not null,
  "type" text collate "C" not null,
  "creation_mode" text collate "C" not null,
  "name" text collate "C" not null,
  "description" text collate "C",
  "digest" text collate "C" not null,
  "masked_key" text collate "C" not null,
  "status" text collate "C" not null,
  "scopes" json not null,
  "rate_limits" json not null,
  "usage_limits" json,
  "defaults" json not null,
  "alert_emails" json not null,
  "expires_at" bigint,
  "rotation_policy" json
);

create unique index "api_keys_digest_key" on "api_keys" ("digest");

create index "api_keys_organisation_id_workspace_id_idx" on "api_keys" ("organisation_id", "workspace_id");

create table "config_versions" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "last_updated_at" bigint not null,
  "organisation_id" text collate "C" not null,
  "workspace_id" text collate "C" not null,
  "config_id" text collate "C" not null,
  "name" text collate "C" not null,
  "status" text collate "C" not null,
  "is_default" integer not null,
  "updated_by" text collate "C",
  "config" json not null
);

create index "config_versions_config_id_idx" on "config_versions" ("config_id");

create table "configs" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "last_updated_at" bigint not null,
  "organisation_id" text collate "C" not null,
  "workspace_id" text collate "C" not null,
  "owner_id" text collate "C" not null,
  "updated_by" text collate "C",
  "name" text collate "C" not null,
  "slug" text collate "C" not null,
  "status" text collate "C" not null,
  "is_default" integer not null,
  "version_id" text collate "C" not null,
  "config" json not null
);

create unique index "configs_workspace_id_slug_key" on "configs" ("workspace_id", "slug");

create table "guardrails" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "last_updated_at" bigint not null,
  "organisation_id" text collate "C" not null,
  "workspace_id" text collate "C",
  "owner_id" text collate "C" not null,
  "updated_by" text collate "C",
  "name" text collate "C" not null,
  "slug" text collate "C" not null,
  "target" text collate "C" not null,
  "status" text collate "C" not null,
  "version_id" text collate "C" not null,
  "checks" json not null,
  "actions" json not null
);

create unique index "guardrails_organisation_id_slug_key" on "guardrails" ("organisation_id", "slug");

create index "guardrails_organisation_id_workspace_id_idx" on "guardrails" ("organisation_id", "workspace_id");

create table "integrations" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "last_updated_at" bigint not null,
  "organisation_id" text collate "C" not null,
  "workspace_id" text collate "C",
  "owner_id" text collate "C" not null,
  "ai_provider_id" text collate "C" not null,
  "name" text collate "C" not null,
  "slug" text collate "C" not null,
  "description" text collate "C",
  "status" text collate "C" not null,
  "key_sealed" text collate "C",
  "masked_key" text collate "C",
  "configurations" json not null,
  "tags" json not null
);

create unique index "integrations_organisation_id_slug_key" on "integrations" ("organisation_id", "slug");

create index "integrations_organisation_id_workspace_id_idx" on "integrations" ("organisation_id", "workspace_id");

create table "organisations" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "last_updated_at" bigint not null,
  "name" text collate "C" not null,
  "settings" json not null
);

create table "providers" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "last_updated_at" bigint not null,
  "organisation_id" text collate "C" not null,
  "workspace_id" text collate "C" not null,
  "integration_id" text collate "C" not null,
  "name" text collate "C" not null,
  "slug" text collate "C" not null,
  "note" text collate "C",
  "status" text collate "C" not null,
  "usage_limits" json,
  "rate_limits" json not null,
  "expires_at" bigint,
  "tags" json not null
);

create unique index "providers_workspace_id_slug_key" on "providers" ("workspace_id", "slug");

create index "providers_integration_id_idx" on "providers" ("integration_id");

create table "rate_limit_policies" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "last_updated_at" bigint not null,
  "organisation_id" text collate "C" not null,
  "workspace_id" text collate "C" not null,
  "name" text collate "C",
  "target" text collate "C" not null,
  "type" text collate "C" not null,
  "unit" text collate "C" not null,
  "value" double precision not null,
  "conditions" json not null,
  "group_by" json not null,
  "status" text collate "C" not null
);

create index "rate_limit_policies_workspace_id_status_idx" on "rate_limit_policies" ("workspace_id", "status");

create table "workspaces" (
  "_seq" bigint generated always as identity unique,
  "id" text collate "C" not null primary key,
  "created_at" bigint not null,
  "last_updated_at" bigint not null,
  "organisation_id" text collate "C" not null,
  "name" text collate "C" not null,
  "slug" text collate "C" not null,
  "description" text collate "C",
  "defaults" json not null
);

create unique index "workspaces_organisation_id_slug_key" on "workspaces" ("organisation_id", "slug");
