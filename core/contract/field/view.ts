import { type Static, type TObject, type TOptional, type TSchema, Type } from "@sinclair/typebox";
import type { RuleInput } from "../resource.ts";
import { maskSecrets } from "../sealed.ts";
import { isJson, type Json } from "../json.ts";
import { DateTime, isoTime, Nullable } from "../schema/column.ts";
import type { RecordOf } from "../storage.ts";
import { allowsNull, type FieldCollection, plain, secretColumns } from "./collection.ts";
import type { Field } from "./field.ts";

/** A member of answers that no column holds as it is shown. */
export interface Shown<R, S extends TSchema = TSchema> {
  readonly schema: S;
  value(record: R, input: ViewInput): ShownValue<S>;
  /** Only where one record is read. */
  readonly alone?: true;
}
/** A member that is optional may be left out. */
type ShownValue<S extends TSchema> = S extends TOptional<TSchema> ? Static<S> | undefined : Static<S>;
/** What a view may look at beside the record. */
export type ViewInput = Pick<RuleInput, "vault" | "now" | "caller">;
/** A member of answers, by its schema and how it is made of the record. */
export const shown = <R, S extends TSchema>(
  schema: S,
  value: (record: R, input: ViewInput) => ShownValue<S>,
  alone?: true,
): Shown<R, S> => ({
  schema,
  value,
  ...(alone && { alone }),
});

export interface ViewRules<C extends FieldCollection> {
  /** Added to what the fields show, or in their place. */
  readonly shows?: Readonly<Record<string, Shown<RecordOf<C>>>>;
  /** Of the members that every record has. */
  readonly hides?: readonly ("organisation_id" | "workspace_id")[];
  /** What answers say they are. */
  readonly object?: string;
}
/** How a record is shown: built member by member, so that what no field shows never leaves. */
export interface View {
  readonly schema: TObject;
  of(record: Json, input: ViewInput): Json;
  /** The same with these members only. */
  only(names: readonly string[]): View;
}

type Member = readonly [name: string, schema: TSchema, value: (record: Json, input: ViewInput) => unknown];

export function viewOf<C extends FieldCollection>(collection: C, rules: ViewRules<C>, where: "alone" | "list"): View {
  const { shows = {}, hides = [], object } = rules;
  const members = new Map<string, Member>();
  const put = (...member: Member): void => void members.set(member[0], member);
  put(...column(collection, "id"));
  for (const [name, field] of Object.entries(collection.fields))
    if (field.rule.view === true || field.rule.view === where) put(...fieldMember(collection, name, field));
  for (const name of HOST_MEMBERS) if (name in collection.schema.properties && !isHidden(hides, name)) put(...column(collection, name));
  for (const [name, { schema, value, alone }] of Object.entries(shows)) {
    // The host calls a view with a record of the collection that the value was written for.
    if (!alone || where === "alone") put(name, schema, (record, input) => value(record as RecordOf<C>, input));
  }
  if (object !== undefined) put("object", Type.Literal(object), () => object);
  return viewFrom([...members.values()]);
}
const HOST_MEMBERS = ["organisation_id", "workspace_id", "created_at", "last_updated_at"] as const;
const isHidden = (hides: readonly string[], name: string): boolean => hides.includes(name);

function viewFrom(members: readonly Member[]): View {
  return {
    schema: Type.Object(Object.fromEntries(members.map(([name, schema]) => [name, schema]))),
    of: (record, input) => Object.fromEntries(members.map(([name, , value]) => [name, value(record, input)])),
    only: (names) => viewFrom(members.filter(([name]) => names.includes(name))),
  };
}

function fieldMember(collection: FieldCollection, name: string, { rule }: Field): Member {
  if (rule.secret === true) return column(collection, secretColumns(name).masked);
  if (rule.secret !== "inside") return column(collection, name);
  const [, schema] = column(collection, name);
  return [name, schema, ({ [name]: value }, { vault }) => masked(value, vault)];
}
const masked = (value: unknown, vault: RuleInput["vault"]): unknown =>
  Array.isArray(value) ? value.map((item) => masked(item, vault)) : isJson(value) ? maskSecrets(value, vault) : value;

/** A column as it is stored; a moment as ISO 8601. */
function column({ schema: { properties } }: FieldCollection, name: string): Member {
  const schema = plain(properties[name] ?? Type.Unknown());
  const moment = allowsNull(schema) ? schema["anyOf"][0] : schema;
  if (moment["column"] !== "bigint") return [name, schema, (record) => record[name]];
  const text = DateTime(moment["description"]);
  return [name, allowsNull(schema) ? Nullable(text) : text, (record) => wireTime(record[name])];
}
const wireTime = (ms: unknown): string | null => (typeof ms === "number" ? isoTime(ms) : null);
