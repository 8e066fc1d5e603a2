alter table "guardrails" add column "secret_mappings" text;

alter table "plugin_credentials" add column "secret_mappings" text;
