alter table "guardrails" add column "secret_mappings" json;

alter table "plugin_credentials" add column "secret_mappings" json;
