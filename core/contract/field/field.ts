import type { Static, TOptional, TSchema, TString } from "@sinclair/typebox";
import type { Json } from "../json.ts";
import type { RuleInput } from "../resource.ts";
import type { TNullable } from "../schema/column.ts";

/** Where a member of a record appears. What is not said here, it does not: a member is shown because its field says so. */
export interface FieldRule<T = unknown> {
  /** In the body that makes a record. One that may be left out and has no default is stored as null. */
  readonly create?: "required" | "optional";
  /** In the body that changes a record, where each may be left out. */
  readonly update?: true;
  /** In answers; `alone` in those about one record, not in lists. */
  readonly view?: true | "alone";
  /**
   * `true`: the text is sealed in the column `<name>_sealed`, and `masked_<name>` is shown. `inside`: a JSON member with
   * secrets in it, those its schema marks `secret: true`. A secret that is sent back as its mask stays what it is.
   */
  readonly secret?: true | "inside";
  /** It says where the record's secrets go, or whom they stand for: it cannot be changed while one of them is kept. */
  readonly bound?: true;
  /** What a new record gets where its body says nothing; a plain value is the column's own default too. */
  readonly default?: Constant<T> | ((input: RuleInput<Json>) => T);
}
/** Written in a table, a list is a constant. */
type Constant<T> = T extends readonly (infer I)[] ? readonly I[] : T;

/** What bodies hold of a field, where it is not what the record holds. */
export interface FieldBody<S extends TSchema, B extends TSchema> {
  readonly schema: B;
  /** What the record holds for it. */
  store?(given: Static<B>, input: RuleInput<Json>): Static<S>;
}

/** A member of a record, written once. */
export interface Field<S extends TSchema = TSchema, R extends FieldRule = FieldRule, B extends TSchema = TSchema> {
  readonly schema: S;
  readonly rule: R;
  readonly body: FieldBody<S, B>;
}
export type Fields = Readonly<Record<string, Field>>;

/** A field by its schema, where it appears, and what bodies hold of it where that is something else. */
export function field<S extends TSchema, const R extends FieldRule<Static<S>>>(schema: S, rule: R): Field<S, R, S>;
export function field<S extends TSchema, const R extends FieldRule<Static<S>>, B extends TSchema>(
  schema: S,
  rule: R,
  body: FieldBody<S, B>,
): Field<S, R, B>;
export function field(schema: TSchema, rule: FieldRule, body: FieldBody<TSchema, TSchema> = { schema }): Field {
  return { schema, rule, body };
}

/* ── what follows from a field, as types; bodies.ts, collection.ts and view.ts make the same as values ─────────── */

type IsNullable<S extends TSchema> = null extends Static<S> ? true : false;
type Defaulted = { readonly default: unknown };
/** Does a record hold null where its body says nothing? */
type TakesNull<F extends Field> = F["rule"] extends Defaulted ? false : F["rule"] extends { readonly create: "optional" } ? true : false;
type NullableOnce<S extends TSchema> = IsNullable<S> extends true ? S : TNullable<S>;
type Secret = { readonly secret: true };

/** The schema of the field's column; of a secret, of both. */
export type Column<F extends Field> = F["rule"] extends Secret
  ? TakesNull<F> extends true
    ? TNullable<TString>
    : TString
  : TakesNull<F> extends true
    ? NullableOnce<F["schema"]>
    : F["schema"];
export type Columns<F extends Fields> = {
  [K in keyof F & string as F[K]["rule"] extends Secret ? `${K}_sealed` | `masked_${K}` : K]: Column<F[K]>;
};

type BodySchema<F extends Field> = F["body"]["schema"];
export type CreateMembers<F extends Fields> = {
  [K in keyof F & string as F[K]["rule"] extends { readonly create: string } ? K : never]: F[K]["rule"]["create"] extends "required"
    ? BodySchema<F[K]>
    : TOptional<BodySchema<F[K]>>;
};
export type UpdateMembers<F extends Fields> = {
  [K in keyof F & string as F[K]["rule"] extends { readonly update: true } ? K : never]: TOptional<BodySchema<F[K]>>;
};
/** What any body may say of the fields. */
export type Written<F extends Fields> = { readonly [K in keyof F & string]?: Static<BodySchema<F[K]>> };

/** The members of an answer about one record that fields show. */
export type Viewed<F extends Fields> = {
  [K in keyof F & string]: F[K]["rule"] extends { readonly view: true | "alone" }
    ? F[K]["rule"] extends Secret
      ? `masked_${K}`
      : K
    : never;
}[keyof F & string];

/** The fields that a list can be filtered by: one value, which is no secret. */
export type Filterable<F extends Fields> = {
  [K in keyof F & string]: F[K]["rule"] extends Secret
    ? never
    : Static<F[K]["schema"]> extends string | number | boolean | null
      ? K
      : never;
}[keyof F & string];

/** The columns that no body and no default fills: the resource must. */
export type Unfilled<F extends Fields> = {
  [K in keyof F & string]: F[K]["rule"] extends Defaulted | { readonly create: string } ? never : K;
}[keyof F & string];
