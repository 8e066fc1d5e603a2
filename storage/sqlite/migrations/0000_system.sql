-- What the SQLite backend keeps besides the collections. Written by hand.
create table "_counters" (
  "key" text primary key,
  "value" real not null,
  "expires_at" integer not null
) without rowid;
create index "_counters_expires_at" on "_counters" ("expires_at");

create table "_kv" (
  "key" text primary key,
  "value" blob not null,
  "expires_at" integer
) without rowid;
create index "_kv_expires_at" on "_kv" ("expires_at") where "expires_at" is not null;

create table "_feed" (
  "id" integer primary key autoincrement,
  "topic" text not null,
  "message" text not null,
  "origin" text not null,
  "created_at" integer not null
);

create table "_blobs" (
  "key" text primary key,
  "file" text not null,
  "bytes" integer not null,
  "created_at" integer not null
) without rowid;
