import type { Static, TObject, TProperties } from "@sinclair/typebox";
import type { Json } from "../json.ts";
import type {
  RuleInput,
  CreateRule,
  Draft,
  ListRule,
  ReadRule,
  RemoveRule,
  ResourceOf,
  Revision,
  Tenancy,
  UpdateRule,
} from "../resource.ts";
import type { Where, Write } from "../storage.ts";
import type { FieldCollection, RecordSchema } from "./collection.ts";
import type { Column, CreateMembers, Fields, Filterable, Unfilled, UpdateMembers, Viewed, Written } from "./field.ts";
import type { VersionRules } from "./versions.ts";
import type { ViewRules } from "./view.ts";
import type { MaybePromise } from "../maybe-promise.ts";

/** What a resource is beside its fields. Bodies, answers, filters, masks and documentation follow from those. */
export interface FieldResource<
  F extends Fields,
  T extends Tenancy,
  Q extends TProperties,
  C extends TProperties,
  U extends TProperties,
  S extends TObject = RecordSchema<F, T>,
> extends ViewRules<FieldCollection<F, T>>,
    Pick<
      ResourceOf<S, TObject, TObject, TObject, TObject, TObject, TObject, TObject>,
      "noun" | "plural" | "plane" | "path" | "tag" | "scopes"
    > {
  /** Default: that of its collection. */
  readonly tenancy?: Tenancy;
  /** Default: `id`. */
  readonly param?: string;
  readonly by?: readonly ("id" | "slug")[];
  /** Default: 404. */
  readonly absent?: 403 | 404;
  /** It decides where requests go: a key that is pinned to its own config may not write it. */
  readonly decidesRoutes?: true;
  /** What the record holds for a field that a body names, where only the resource can tell. It seals what is secret inside. */
  readonly store?: FieldStores<F, T>;
  /** Throws for a record that may not be written; `before` is the one that is changed. */
  readonly judge?: (next: Draft<S>, input: RuleInput<Written<F>>, before: Static<S> | undefined) => void | Promise<void>;
  /** What answers show of other records. */
  readonly joins?: Joins;
  readonly list?: FieldList<F, S, Q>;
  /** `false`: they come about elsewhere. */
  readonly create?: FieldCreate<F, S, C> | false;
  /** Where reading one is told to the audit log. */
  readonly read?: Pick<ReadRule<S, TObject>, "action">;
  readonly update?: FieldUpdate<F, S, U>;
  readonly remove?: RemoveRule<S>;
  /** Each state is kept, and listed below the record; the record has a field `version_id`. */
  readonly versions?: VersionRules;
  /** Answers about one record are `{success, data}`. */
  readonly wrapped?: true;
  readonly actions?: ResourceOf<S, TObject, TObject, TObject, TObject, TObject, TObject, TObject>["actions"];
}

/** A resource with its own fields forgotten. */
export type AnyFieldResource = FieldResource<Fields, Tenancy, TProperties, TProperties, TProperties, TObject>;

export interface Joins {
  readonly schema: TProperties;
  /** In lists too, not only where one is read. */
  readonly inLists?: true;
  /** Of all of these at once, in their order. */
  of(records: readonly { readonly id: string }[], input: RuleInput): Promise<readonly Json[]>;
}

export type FieldStores<F extends Fields, T extends Tenancy> = {
  readonly [K in keyof F & string]?: (
    given: Exclude<Written<F>[K], undefined>,
    input: RuleInput<Written<F>>,
    before: Static<RecordSchema<F, T>> | undefined,
  ) => Static<Column<F[K]>> | Promise<Static<Column<F[K]>>>;
};
export interface FieldList<F extends Fields, S extends TObject, Q extends TProperties>
  extends Pick<ListRule<S, TObject, TObject>, "summary" | "page" | "pageNames" | "showsOrganisation" | "omit"> {
  /** Fields whose values a client may ask for. Where records are archived, `status` is one. */
  readonly filters?: readonly Filterable<F>[];
  /** Further ones, and what they mean. */
  readonly query?: Q;
  readonly where?: (input: RuleInput<undefined, Static<TObject<Q>>>) => Where<Static<S>> | Promise<Where<Static<S>>>;
  /** Default: `list`. */
  readonly envelope?: "list" | "data" | "success";
}
/** What an answer holds instead of the whole view: some of its members, or what is made of the record. */
export type FieldAnswer<F extends Fields, S extends TObject> =
  | readonly (Viewed<F> | HostMember | "object")[]
  | { readonly schema: TObject; of(record: Static<S>, once: string): Json };
type HostMember = "id" | "organisation_id" | "workspace_id" | "created_at" | "last_updated_at";
export interface FieldCreate<F extends Fields, S extends TObject, C extends TProperties>
  extends Pick<CreateRule<S, TObject, TObject>, "path" | "words" | "also" | "tenancy" | "description" | "examples"> {
  /** Members that no column holds. */
  readonly body?: C;
  /** What neither the body nor a default says, and what is to stand in their place. */
  readonly make?: (input: CreateInput<F, C>, draft: Omit<Draft<S>, Unfilled<F>>) => MaybePromise<MadeOf<F, S>>;
  /** As of `CreateRule`. */
  readonly before?: (record: Static<S>, input: CreateInput<F, C>) => Promise<void>;
  readonly beside?: (record: Static<S>, input: CreateInput<F, C>) => Promise<readonly Write[]>;
  readonly after?: (record: Static<S>, input: CreateInput<F, C>, once: string) => Promise<void>;
  readonly answer?: FieldAnswer<F, S>;
}
export interface FieldUpdate<F extends Fields, S extends TObject, U extends TProperties>
  extends Pick<UpdateRule<S, TObject, TObject>, "description"> {
  readonly body?: U;
  /** Throws for a caller who may not change this record, before anything of the body is looked at. */
  readonly allow?: (record: Static<S>, input: UpdateInput<F, U>) => MaybePromise<void>;
  /** What is written besides. */
  readonly change?: (record: Static<S>, input: UpdateInput<F, U>, revision: Revision<S>) => MaybePromise<Revision<S>>;
  /** As of `UpdateRule`. */
  readonly before?: (next: Static<S>, input: UpdateInput<F, U>) => Promise<void>;
  readonly beside?: (next: Static<S>, input: UpdateInput<F, U>) => Promise<readonly Write[]>;
  readonly answer?: FieldAnswer<F, S>;
}
export type CreateInput<F extends Fields, C extends TProperties = NoMembers> = RuleInput<Static<TObject<CreateMembers<F> & C>>>;
export type UpdateInput<F extends Fields, U extends TProperties = NoMembers> = RuleInput<Static<TObject<UpdateMembers<F> & U>>>;
type MadeOf<F extends Fields, S extends TObject> = {
  readonly record: Pick<Static<S>, Unfilled<F>> & Partial<Draft<S>>;
  readonly once?: string;
};
export type NoMembers = Record<never, never>;
