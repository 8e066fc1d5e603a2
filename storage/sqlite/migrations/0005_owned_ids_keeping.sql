alter table "owned_ids" add column "keeping" text;

create index "owned_ids_keeping_created_at_idx" on "owned_ids" ("keeping", "created_at");
