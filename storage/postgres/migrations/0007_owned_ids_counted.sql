alter table "owned_ids" add column "counted_input" bigint;

alter table "owned_ids" add column "counted_output" bigint;
