import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import { plain, withDefault } from "./collection.ts";
import type { CreateMembers, Field, Fields, UpdateMembers } from "./field.ts";

/** What a client says of a new record. */
export function createBody<F extends Fields>(fields: F): TObject<CreateMembers<F>> {
  const members = Object.entries(fields).flatMap(([name, { rule, body }]): readonly (readonly [string, TSchema])[] => {
    if (rule.create === undefined) return [];
    const schema = withDefault(body.schema, rule.default);
    return [[name, rule.create === "optional" ? Type.Optional(schema) : schema]];
  });
  return Type.Object(Object.fromEntries(members)) as TSchema as TObject<CreateMembers<F>>; // the members that the type names
}

/** What a client may change of a record. */
export function updateBody<F extends Fields>(fields: F): TObject<UpdateMembers<F>> {
  const members = Object.entries(fields).flatMap(([name, { rule, body }]) => (rule.update ? [[name, Type.Optional(body.schema)]] : []));
  return Type.Object(Object.fromEntries(members)) as TSchema as TObject<UpdateMembers<F>>; // the members that the type names
}

/** Filters of a list, by the values that these fields may have. */
export function filters(fields: Fields, names: readonly string[], defaults: Readonly<Record<string, string>>): Record<string, TSchema> {
  const filter = (name: string, { schema }: Field): TSchema => Type.Optional(withDefault(plain(schema), defaults[name]));
  return Object.fromEntries(names.flatMap((name) => (fields[name] ? [[name, filter(name, fields[name])]] : [])));
}
