import { Kind as KindOf, OptionalKind, type TSchema } from "@sinclair/typebox";
import type { Collection } from "#contract";

/** What a column can hold on every backend. `bigint` is a safe integer beyond 32 bits; `json` any object or array. */
export type ColumnKind = "text" | "int" | "bigint" | "real" | "bool" | "json";
export interface Column {
  readonly name: string;
  readonly kind: ColumnKind;
  readonly nullable: boolean;
  /** What existing rows get when the column is added later. */
  readonly default?: string | number | boolean;
}
/** The portable definition of a collection's table; both SQL dialects and the migrations are made from it. */
export interface Table {
  readonly name: string;
  readonly columns: readonly Column[];
  readonly unique: readonly (readonly string[])[];
  readonly index: readonly (readonly string[])[];
}

/** Every table has it: the creation order, and the tie-breaker that makes paging stable. */
export const SEQUENCE = "_seq";

/** Derives the table from the collection's schema; a shape no backend could store is an error that names the member. */
export const tableOf = (collection: Collection): Table => {
  const { name, schema } = collection;
  if (!/^[a-z][a-z0-9_]{0,47}$/.test(name))
    throw new TypeError(`The collection name "${name}" is not snake_case of at most 48 characters.`);
  const columns = Object.entries<TSchema>(schema.properties).map(([member, shape]) => columnOf(name, member, shape));
  const id = columns.find((column) => column.name === "id");
  if (id?.kind !== "text" || id.nullable)
    throw new TypeError(`The collection ${name} needs a member "id" that is a string and neither optional nor nullable.`);
  const lists = (given: Collection["unique"]) => (given ?? []).map((members) => members.map((member) => keyed(name, columns, member)));
  return { name, columns, unique: lists(collection.unique), index: lists(collection.index) };
};

/** Members that are left out of a record when their column is null: optional ones that do not allow null. */
export const omittedMembers = (collection: Collection): ReadonlySet<string> =>
  new Set(
    Object.entries<TSchema>(collection.schema.properties)
      .filter(([, shape]) => isOptional(shape) && !withoutNull(shape).nullable)
      .map(([member]) => member),
  );

const columnOf = (collection: string, member: string, shape: TSchema): Column => {
  if (!/^[A-Za-z][A-Za-z0-9_]{0,59}$/.test(member))
    throw new TypeError(`The member "${member}" of ${collection} cannot name a column: letters, digits and _, at most 60.`);
  const { nullable, schemas } = withoutNull(shape);
  const kinds = new Set(schemas.map(kindOf));
  const [kind] = kinds;
  if (kinds.size !== 1 || kind === undefined) {
    throw new TypeError(
      `The member "${member}" of ${collection} has no column: ` +
        "use a string, number, boolean, object or array schema, or a union of one kind.",
    );
  }
  const given: unknown = shape["default"];
  const scalar = typeof given === "string" || typeof given === "number" || typeof given === "boolean";
  return { name: member, kind, nullable: nullable || isOptional(shape), ...(scalar && kind !== "json" ? { default: given } : {}) };
};

const isOptional = (shape: TSchema): boolean => OptionalKind in shape;

/** The alternatives of a schema other than null, and whether null was one of them. */
const withoutNull = (shape: TSchema): { readonly nullable: boolean; readonly schemas: readonly TSchema[] } => {
  const alternatives = shape["anyOf"] as readonly TSchema[] | undefined;
  if (shape.type === "null") return { nullable: true, schemas: [] };
  if (alternatives === undefined) return { nullable: false, schemas: [shape] };
  const parts = alternatives.map(withoutNull);
  return { nullable: parts.some((part) => part.nullable), schemas: parts.flatMap((part) => part.schemas) };
};

const KIND_BY_TYPE: Readonly<Record<string, (shape: TSchema) => ColumnKind>> = {
  string: () => "text",
  number: () => "real",
  boolean: () => "bool",
  object: () => "json",
  array: () => "json",
  // PostgreSQL's integer has 32 bits: only an integer whose bounds fit there gets one.
  integer: (shape) =>
    shape["column"] !== "bigint" && Number(shape["maximum"]) <= 2 ** 31 - 1 && Number(shape["minimum"]) >= -(2 ** 31) ? "int" : "bigint",
};

const kindOf = (shape: TSchema): ColumnKind | undefined => {
  if (shape[KindOf] === "Intersect") return "json";
  return typeof shape.type === "string" ? KIND_BY_TYPE[shape.type]?.(shape) : undefined;
};

const keyed = (collection: string, columns: readonly Column[], member: string): string => {
  const column = columns.find(({ name }) => name === member);
  if (column === undefined || column.kind === "json")
    throw new TypeError(`The collection ${collection} cannot index "${member}": it is ${column === undefined ? "not a member" : "JSON"}.`);
  return member;
};
