create index "api_keys_organisation_id_idx" on "api_keys" ("organisation_id");

create index "configs_organisation_id_slug_idx" on "configs" ("organisation_id", "slug");

create index "configs_organisation_id_workspace_id_status_idx" on "configs" ("organisation_id", "workspace_id", "status");

create index "providers_organisation_id_slug_idx" on "providers" ("organisation_id", "slug");

create index "workspaces_organisation_id_status_idx" on "workspaces" ("organisation_id", "status");
