alter table "integrations" add column "made_as_virtual_key" boolean not null default false;

update "integrations" set "made_as_virtual_key" = true
where "workspace_id" is not null and "tags" ->> 'made_as' = 'virtual-key' and exists (
  select 1 from "providers" where "providers"."integration_id" = "integrations"."id"
  and "providers"."slug" = "integrations"."slug" and "providers"."created_at" = "integrations"."created_at"
);
