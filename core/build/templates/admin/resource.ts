import { type Static, Type } from "@sinclair/typebox";
import { DateTime, defineResource, isoTime, Nullable, type RecordOf, Uuid } from "#contract";
import { name, note, Records } from "./schema.ts";

const View = Type.Object({
  id: Uuid("Id."),
  name,
  note: Nullable(note),
  created_at: DateTime("When it was made."),
  last_updated_at: DateTime("When it was last written."),
});

const view = (record: RecordOf<typeof Records>): Static<typeof View> => ({
  id: record.id,
  name: record.name,
  note: record.note,
  created_at: isoTime(record.created_at),
  last_updated_at: isoTime(record.last_updated_at),
});

/** Everything that is not said here (routes, pages, tenants, errors, documentation) follows from the table. */
export const resource = defineResource({
  noun: "Sprocket record",
  plane: "control",
  path: "/sprocket",
  tag: "Sprocket",
  collection: Records,
  param: "id",
  by: ["id"],
  tenancy: "workspace",
  scopes: { families: ["configs"] }, // a family of SCOPE_TABLE: whoever may do this to configs may do it here
  absent: 404,
  list: { query: Type.Object({ name: Type.Optional(name) }), where: ({ query }) => query, envelope: "list", item: View, view },
  create: {
    body: Type.Object({ name, note: Type.Optional(note) }),
    reply: View,
    make: ({ body }) => ({ record: { name: body.name, note: body.note ?? null } }),
    answer: view,
  },
  read: { reply: View, view },
  update: {
    body: Type.Object({ name: Type.Optional(name), note: Type.Optional(note) }),
    reply: View,
    change: (_, { body }) => body,
    answer: view,
  },
  remove: {},
});
