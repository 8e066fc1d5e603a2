alter table "api_keys" add column "next_rotation_at" bigint;

alter table "api_keys" add column "previous_digest" text collate "C";

alter table "api_keys" add column "key_transition_expires_at" bigint;

alter table "api_keys" add column "rotated_at" bigint;

alter table "api_keys" add column "secret_sealed" text collate "C";

alter table "api_keys" add column "secret_kept_until" bigint;

alter table "api_keys" add column "told" json;

alter table "api_keys" add column "is_preset" boolean not null default false;

create unique index "api_keys_previous_digest_key" on "api_keys" ("previous_digest");

create index "api_keys_next_rotation_at_idx" on "api_keys" ("next_rotation_at");

create index "api_keys_key_transition_expires_at_idx" on "api_keys" ("key_transition_expires_at");

create index "api_keys_expires_at_idx" on "api_keys" ("expires_at");

create index "api_keys_secret_kept_until_idx" on "api_keys" ("secret_kept_until");

alter table "workspaces" add column "settings" json;

-- Policies that stood there before were obeyed by nobody: 0 says that the job is to give them their day.
update "api_keys" set "next_rotation_at" = 0 where "rotation_policy" is not null;
