alter table "api_keys" add column "untold_since" bigint;

create index "api_keys_untold_since_idx" on "api_keys" ("untold_since");
