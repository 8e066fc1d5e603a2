alter table "owned_ids" add column "counted_input" integer;

alter table "owned_ids" add column "counted_output" integer;
