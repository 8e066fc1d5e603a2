-- Blobs, written by hand: a body is a row and its parts, so that it is written and read piece by piece.
create table "_blobs" (
  "id" text collate "C" not null primary key,
  "key" text collate "C" not null,
  -- "writing", "whole", or "replaced": still read by who has begun, until it expires.
  "state" text collate "C" not null,
  "parts" integer not null,
  "expires_at" bigint
);
create unique index "_blobs_key_whole" on "_blobs" ("key") where "state" = 'whole';
create index "_blobs_key" on "_blobs" ("key");
create index "_blobs_expires_at" on "_blobs" ("expires_at") where "expires_at" is not null;

create table "_blob_parts" (
  "blob_id" text collate "C" not null references "_blobs" ("id") on delete cascade,
  "number" integer not null,
  "bytes" bytea not null,
  primary key ("blob_id", "number")
);
-- What comes here is sealed or compressed already.
alter table "_blob_parts" alter column "bytes" set storage external;
