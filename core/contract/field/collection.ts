import { type Static, type TObject, type TSchema, type TString, Type } from "@sinclair/typebox";
import type { Tenancy } from "../resource.ts";
import { Nullable, Stamps, type TNullable, Uuid } from "../schema/column.ts";
import type { Collection } from "../storage.ts";
import type { Columns, Field, Fields } from "./field.ts";

/** A collection made of fields: what a resource is derived from (`resourceOf`). */
export interface FieldCollection<F extends Fields = Fields, T extends Tenancy = Tenancy> extends Collection<RecordSchema<F, T>> {
  readonly fields: F;
  readonly tenancy: T;
}
export type RecordSchema<F extends Fields, T extends Tenancy> = TObject<typeof Stamps & Tenants<T> & Columns<F>>;
type Tenants<T extends Tenancy> = { organisation_id: TString } & (T extends "workspace"
  ? { workspace_id: TString }
  : T extends "either"
    ? { workspace_id: TNullable<TString> }
    : unknown);

type Members<F extends Fields, T extends Tenancy> = readonly (readonly (keyof Static<RecordSchema<F, T>> & string)[])[];

/** One table: its fields, and the members that the host fills in for every record of that tenancy. */
export function collectionOf<const F extends Fields, T extends Tenancy>(given: {
  readonly name: string;
  readonly tenancy: T;
  readonly fields: F;
  readonly unique?: Members<F, T>;
  readonly index?: Members<F, T>;
  /** Its writes are no deeds of anybody: what made the record has an entry of its own. */
  readonly audited?: false;
}): FieldCollection<F, T> {
  const { name, tenancy, fields, unique, index, audited = true } = given;
  const columns = Object.entries(fields).flatMap(([member, field]) => columnsOf(member, field));
  const schema = Type.Object({ ...Stamps, ...TENANTS[tenancy], ...Object.fromEntries(columns) });
  const collection = { name, tenancy, fields, schema, ...(audited && { audited }), ...(unique && { unique }), ...(index && { index }) };
  return collection as unknown as FieldCollection<F, T>; // its members are those that the types derive from the same fields
}

const Workspace = Uuid("Workspace.");
const TENANTS: Readonly<Record<Tenancy, Readonly<Record<string, TSchema>>>> = {
  organisation: { organisation_id: Uuid("Organisation.") },
  self: { organisation_id: Uuid("Organisation.") },
  workspace: { organisation_id: Uuid("Organisation."), workspace_id: Workspace },
  either: { organisation_id: Uuid("Organisation."), workspace_id: Nullable(Uuid("Workspace; null when it is the organisation's.")) },
};

/** The names of a secret's columns. */
export const secretColumns = (name: string) => ({ sealed: `${name}_sealed`, masked: `masked_${name}` }) as const;

function columnsOf(name: string, { schema, rule }: Field): readonly (readonly [string, TSchema])[] {
  const nullable = rule.create === "optional" && rule.default === undefined;
  const column = (is: TSchema): TSchema => (nullable && !allowsNull(is) ? Nullable(is) : is);
  if (rule.secret !== true) return [[name, withDefault(column(plain(schema)), rule.default)]];
  const { sealed, masked } = secretColumns(name);
  const text = (how: string): TSchema => column(Type.String({ description: `${how}${nullable ? "; null when there is none" : ""}.` }));
  return [
    [sealed, text("Sealed secret")],
    [masked, text("Masked secret")],
  ];
}

/** A schema's own default is for its readers; a column has that of its field. */
export function plain(schema: TSchema): TSchema {
  const { default: _, ...rest } = schema;
  return rest as TSchema; // symbols travel with the spread
}
/** JSON has no column default: a record gets it when it is made. */
export const withDefault = (schema: TSchema, value: unknown): TSchema =>
  ["string", "number", "boolean"].includes(typeof value) ? { ...schema, default: value } : schema;
export const allowsNull = (schema: TSchema): boolean =>
  Array.isArray(schema["anyOf"]) && schema["anyOf"].some((part: TSchema) => part["type"] === "null");
