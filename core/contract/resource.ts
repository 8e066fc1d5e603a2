import type { Static, TObject, TSchema } from "@sinclair/typebox";
import type { Examples, Route } from "./api.ts";
import type { Catalog, RecordsHandle, Vault } from "./capability.ts";
import type { Json } from "./json.ts";
import type { Caller } from "./request.ts";
import type { Collection, Where, Write } from "./storage.ts";

/**
 * A control-plane resource: one collection, its wire shapes, and the few rules that make it what it is. Everything
 * else (routes, tenants kept apart, pages, errors, documentation) follows from this table (`core/admin/resource.ts`).
 */
export interface ResourceOf<
  S extends TObject,
  Q extends TObject,
  I extends TSchema,
  CB extends TObject,
  CR extends TSchema,
  V extends TSchema,
  UB extends TObject,
  UR extends TSchema,
> {
  /** What one of them is called in sentences: `guardrail`. */
  readonly noun: string;
  /** What many are called; default: the noun with an s. */
  readonly plural?: string;
  readonly plane: "control" | "admin";
  /** Below the plane's prefix. */
  readonly path: string;
  readonly tag: string;
  readonly collection: Collection<S>;
  /** Name of the path parameter that addresses one. */
  readonly param: string;
  /** Members the parameter may be: `id`, `slug`. */
  readonly by: readonly ("id" | "slug")[];
  readonly tenancy: Tenancy;
  readonly scopes: Scopes<S>;
  /** Status for one that does not exist or belongs to another tenant. */
  readonly absent: 403 | 404;
  /** As of its routes. */
  readonly failure?: NonNullable<Route["failure"]>;
  readonly list?: ListRule<S, Q, I>;
  readonly create?: CreateRule<S, CB, CR>;
  readonly read?: ReadRule<S, V>;
  readonly update?: UpdateRule<S, UB, UR>;
  readonly remove?: RemoveRule<S>;
  /** Further routes below one record: its versions, a rotation … */
  readonly actions?: readonly MemberAction<S>[];
}
/** A resource with its own types forgotten, as the host mounts it. */
export type Resource = ResourceOf<TObject, TObject, TSchema, TObject, TSchema, TSchema, TObject, TSchema>;

/** Identity at run time; infers every body and reply from its schema. The host calls a rule only with what that rule's schema accepted. */
export const defineResource = <
  S extends TObject,
  Q extends TObject,
  I extends TSchema,
  CB extends TObject,
  CR extends TSchema,
  V extends TSchema,
  UB extends TObject,
  UR extends TSchema,
>(
  resource: ResourceOf<S, Q, I, CB, CR, V, UB, UR>,
): Resource => resource as unknown as Resource;

/**
 * Where records of a resource live. `either` means: with a workspace named it is the workspace's, else the
 * organisation's; a `workspace` resource falls back to the default workspace. `self`: the records are the workspaces, and
 * a workspace key reaches its own.
 */
export type Tenancy = "workspace" | "organisation" | "either" | "self";

export interface Scopes<S extends TObject> {
  /** A route asks for `<family>.<action>` of any of these. */
  readonly families: readonly string[];
  /** The one family a given record needs, where the families differ by record. */
  readonly of?: (record: Static<S>) => string;
}
export type ResourceAction = "list" | "create" | "read" | "update" | "delete";

/** Filled in by the host, never by a rule: this is how tenants are kept apart by construction. */
type HostMember = "id" | "created_at" | "last_updated_at" | "organisation_id" | "workspace_id";
/** A new record, without what the host fills in. */
export type Draft<S extends TObject> = Omit<Static<S>, HostMember>;
/** What an update writes. */
export type Revision<S extends TObject> = Partial<Draft<S>>;

/** What rules may use. */
export interface ResourceHandles {
  readonly records: RecordsHandle;
  readonly vault: Vault;
  readonly catalog: Catalog;
  /** Throws for a URL that could never be called (private, malformed). No network. */
  judgeUrl(url: string): void;
  /** Where people reach the gateway, if the operator said so: links begin with it. */
  readonly publicUrl?: string;
}
/** What a rule is told. */
export interface RuleInput<B = unknown, Q = unknown> extends ResourceHandles {
  readonly body: B;
  readonly query: Q;
  readonly params: Readonly<Record<string, string>>;
  readonly caller: Caller;
  /** Id of the person or key that asks. */
  readonly actor: string;
  readonly now: number;
  /** `https://gateway.example`: what links to the gateway begin with; where the request was asked, unless the operator said where people reach it. */
  readonly origin: string;
  readonly organisationId: string;
  /** Workspace of the record, or the one asked for; null at the organisation's level. */
  readonly workspaceId: string | null;
}

export interface ListRule<S extends TObject, Q extends TObject, I extends TSchema> {
  readonly summary?: string;
  /** Filters beside `page_size`, `current_page` and `workspace_id`. Every member is optional. */
  readonly query: Q;
  readonly where?: (input: RuleInput<undefined, Static<Q>>) => Where<Static<S>> | Promise<Where<Static<S>>>;
  /** `list`: `{object, total, data}`; `data`: `{data, total}`; `success`: `{success, data}`. */
  readonly envelope: "list" | "data" | "success";
  readonly page?: { readonly default?: number; readonly minimum?: number; readonly maximum?: number };
  /** What the parameters of the page are called, where they are not `page_size` and `current_page`. */
  readonly pageNames?: PageNames;
  /** A workspace key's list may hold the organisation's own records too. */
  readonly showsOrganisation?: true;
  /** Members that the view does not look at and that may be large: they are not read. */
  readonly omit?: readonly (keyof Static<S> & string)[];
  readonly item: I;
  /** Built member by member: what is not named there never leaves. */
  readonly view: (record: Static<S>, input: RuleInput<undefined, Static<Q>>) => Static<I>;
  /** What is added to the items of a page, all at once; in their order. */
  readonly joined?: (page: readonly Static<I>[], input: RuleInput<undefined, Static<Q>>) => Promise<readonly Json[]>;
}

export interface PageNames {
  readonly size: string;
  readonly page: string;
}
export interface CreateRule<S extends TObject, B extends TObject, R extends TSchema> {
  /** Path below the resource's, when it is not the resource's own: `/:sub-type`. */
  readonly path?: string;
  /** Parameters of its paths that are one of few words, and these words. */
  readonly words?: Readonly<Record<string, readonly string[]>>;
  /** Further paths for the same, with their own tenancy. */
  readonly also?: readonly { readonly path: string; readonly tenancy: Tenancy }[];
  readonly tenancy?: (params: Readonly<Record<string, string>>) => Tenancy;
  readonly body: B;
  readonly reply: R;
  readonly description?: string;
  readonly examples?: Examples;
  /** Judges the body and makes the record; a second result travels to `after` and `answer` (a secret shown once). */
  readonly make: (input: RuleInput<Static<B>>) => Made<S> | Promise<Made<S>>;
  /** Writes that must stand before the record shows them. */
  readonly before?: (record: Static<S>, input: RuleInput<Static<B>>) => Promise<void>;
  /** Writes of other records that are made with it: all or none. A throw refuses it before anything is written. */
  readonly beside?: Beside<S, B>;
  /** Writes that refer to the record. A throw takes the record back. */
  readonly after?: (record: Static<S>, input: RuleInput<Static<B>>, once: string) => Promise<void>;
  readonly answer: (record: Static<S>, once: string, input: RuleInput<Static<B>>) => Static<R>;
}
export type Made<S extends TObject> = { readonly record: Draft<S> /** Shown in the answer and nowhere else. */; readonly once?: string };

export interface ReadRule<S extends TObject, V extends TSchema> {
  readonly reply: V;
  /** As of its route, where reading one is told to the audit log. */
  readonly action?: NonNullable<Route["action"]>;
  /** Built member by member: what is not named here never leaves. */
  readonly view: (record: Static<S>, input: RuleInput<undefined>) => Static<V> | Promise<Static<V>>;
}

export interface UpdateRule<S extends TObject, B extends TObject, R extends TSchema> {
  /** Members left out stay as they are. */
  readonly body: B;
  readonly reply: R;
  readonly description?: string;
  readonly change: (record: Static<S>, input: RuleInput<Static<B>>) => Revision<S> | Promise<Revision<S>>;
  readonly before?: (next: Static<S>, input: RuleInput<Static<B>>) => Promise<void>;
  /** Writes of other records that are made with it: all or none. Where one of them does not hold, the update is begun anew. */
  readonly beside?: Beside<S, B>;
  readonly answer: (record: Static<S>, input: RuleInput<Static<B>>) => Static<R>;
}
type Beside<S extends TObject, B extends TObject> = (record: Static<S>, input: RuleInput<Static<B>>) => Promise<readonly Write[]>;

export interface RemoveRule<S extends TObject> {
  readonly description?: string;
  /** Refuses (IN_USE), or removes what would be left hanging. */
  readonly before?: (record: Static<S>, input: RuleInput<undefined>) => Promise<void>;
  /** Writes that follow from it, once it is done. */
  readonly after?: (record: Static<S>, input: RuleInput<undefined>) => Promise<void>;
  /** Written instead of removing: the record is archived. */
  readonly archive?: () => Revision<S>;
  /** What is archived is read and listed like any other: its status says what became of it. */
  readonly staysVisible?: true;
}

/** A route below one record. */
export interface MemberAction<
  S extends TObject = TObject,
  B extends TObject = TObject,
  R extends TSchema = TSchema,
  Q extends TObject = TObject,
> {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  /** Below the record's path: `/versions`. */
  readonly path: string;
  readonly summary: string;
  readonly description?: string;
  /** Any of them opens the route; or the scope of the resource's own route of this kind for this record. */
  readonly scope: string | readonly string[] | { readonly as: ResourceAction };
  readonly body?: B;
  /** Beside the workspace that the record is of. */
  readonly query?: Q;
  readonly maxBodyBytes?: number;
  /** As of its route. */
  readonly action?: NonNullable<Route["action"]>;
  readonly reply: R;
  readonly run: (record: Static<S>, input: RuleInput<Static<B>, Static<Q>>) => Promise<Static<R>>;
}
/**
 * The action as it is; infers its record from the collection, and its body, query and reply from their schemas. The host
 * calls it with what these accepted.
 */
export const defineAction = <S extends TObject, R extends TSchema, B extends TObject = TObject, Q extends TObject = TObject>(
  _: Collection<S>,
  action: MemberAction<S, B, R, Q>,
): MemberAction => action as unknown as MemberAction;
const SUFFIX = 6;
const MAX_STEM = 60;
/** `pg-<name>-<suffix>`: readable, and unique by its random end. */
export function makeSlug(prefix: string, name: string): string {
  const stem = name
    .toLowerCase()
    .normalize("NFKD")
    .replace(/[^a-z0-9]+/g, "-")
    .replace(/^-+|-+$/g, "")
    .slice(0, MAX_STEM)
    .replace(/-+$/, "");
  const end = crypto.randomUUID().replaceAll("-", "").slice(0, SUFFIX);
  return [prefix, stem, end].filter((part) => part !== "").join("-");
}
