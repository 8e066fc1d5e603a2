import { type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import {
  type RuleInput,
  type Caller,
  type CreateRule,
  GatewayError,
  type Json,
  type ListRule,
  type MemberAction,
  nextTurn,
  OneOf,
  type RemoveRule,
  type Resource,
  type ResourceAction,
  type ResourceHandles,
  type Route,
  type Tenancy,
  type UpdateRule,
} from "#contract";
import { ENVELOPES } from "./envelope.ts";
import { absent, hasWorkspaces, type Input, need, type On, oneOf, type Row, rowsOf, workspaceIn } from "./record.ts";
import { refusingTaken } from "./taken.ts";
import { pageOf } from "./page-of.ts";
import { placeOf, reachOfList, inTenant } from "./tenancy.ts";

/** The routes of a resource: generic handlers over its rules, with tenants kept apart in every condition. */
export function resourceRoutes(resource: Resource, handles: ResourceHandles): Route[] {
  const on: On = { resource, handles };
  const { list, create, read, update, remove, actions = [] } = resource;
  return [
    ...(list ? [listRoute(on, list)] : []),
    ...(create ? createRoutes(on, create) : []),
    ...(read ? [readRoute(on, read)] : []),
    ...(update ? [updateRoute(on, update)] : []),
    ...(remove ? [removeRoute(on, remove)] : []),
    ...actions.map((action) => actionRoute(on, action)),
  ];
}

const Named = {
  workspace_id: Type.Optional(
    Type.String({ maxLength: 255, description: "Workspace, by id or slug. A workspace key may only name its own." }),
  ),
};
const Organisation = {
  organisation_id: Type.Optional(Type.String({ format: "uuid", description: "The caller's own organisation; another is refused." })),
};
const Archived = {
  status: Type.Optional(OneOf(["active", "archived"], { default: "active", description: "`archived` finds one that was deleted." })),
};
const closed = (properties: TProperties): TObject => Type.Object(properties, { additionalProperties: false });

function listRoute(on: On, rule: ListRule<TObject, TObject, TSchema>): Route {
  const { resource, handles } = on;
  const { default: size = 100, minimum = 1, maximum = 1000 } = rule.page ?? {};
  const page = {
    page_size: Type.Optional(Type.Integer({ minimum, maximum, default: size, description: "How many on a page." })),
    current_page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: "Page, from 0." })),
  };
  const envelope = ENVELOPES[rule.envelope];
  return {
    ...base(on, "list", { summary: rule.summary ?? `List ${plural(resource)}`, errors: [400, 401, 403, 500] }),
    method: "GET",
    path: resource.path,
    query: closed({ ...page, ...named(resource), ...rule.query.properties }),
    reply: envelope.schema(rule.item),
    async handle(input) {
      const query = input.query as Json;
      const reach = await reachOfList(
        { tenancy: resource.tenancy, showsOrganisation: rule.showsOrganisation },
        input.caller,
        workspaceIn(query),
        handles.records,
      );
      const asked = askedOf(on, input, { body: undefined, workspaceId: reach.workspaces?.[0] ?? null });
      const filters = { ...asked, query: only(query, rule.query) };
      const where = inTenant((await rule.where?.(filters)) ?? {}, reach, hasWorkspaces(resource));
      const limit = Number(query["page_size"] ?? size);
      const offset = Number(query["current_page"] ?? 0) * limit;
      const page = { where: where ?? {}, limit, offset, ...(rule.omit && { omit: rule.omit }) };
      const members = Object.keys(resource.collection.schema.properties);
      const found = where ? await pageOf(rowsOf(on), page, members, (row) => rule.view(row, asked)) : { data: [], total: 0 };
      return envelope.wrap(found.data, found.total);
    },
  };
}

function createRoutes(on: On, rule: CreateRule<TObject, TObject, TSchema>): Route[] {
  const tenancy = rule.tenancy ?? (() => on.resource.tenancy);
  const paths = [
    { path: rule.path ?? "", tenancy },
    ...(rule.also ?? []).map((also) => ({ path: also.path, tenancy: () => also.tenancy })),
  ];
  return paths.map((variant) => createRoute(on, rule, variant));
}

interface Variant {
  readonly path: string;
  readonly tenancy: (params: Input["params"]) => Tenancy;
}
function createRoute(on: On, rule: CreateRule<TObject, TObject, TSchema>, variant: Variant): Route {
  const { resource, handles } = on;
  return {
    ...base(on, "create", { summary: `Create ${a(resource.noun)}`, errors: [400, 401, 403, 409, 500], description: rule.description }),
    method: "POST",
    path: resource.path + variant.path,
    body: closed({ ...rule.body.properties, ...Organisation, ...named(resource) }),
    ...(rule.examples && { examples: rule.examples }),
    query: closed(named(resource)),
    reply: rule.reply,
    async handle(input) {
      const { body, isLong } = storable(input.body);
      const step = isLong ? nextTurn : noTurn;
      ownOrganisation(input.caller, body["organisation_id"]);
      const asksFor = workspaceIn(body) ?? workspaceIn(input.query as Json);
      const workspaceId = await placeOf(variant.tenancy(input.params), input.caller, asksFor, handles.records);
      const asked = askedOf(on, input, { body, workspaceId });
      await step();
      const { record: draft, once = "" } = await rule.make(asked);
      const record = stamped(on, asked, draft);
      need(on, input.caller, "create", record);
      await step();
      await rule.before?.(record, asked);
      await step();
      await refusingTaken(on, record, () => rowsOf(on).insert(record));
      await rule.after?.(record, asked).catch(async (thrown: unknown) => {
        await rowsOf(on).remove(record.id);
        throw thrown;
      });
      return rule.answer(record, once, asked);
    },
  };
}

function readRoute(on: On, rule: NonNullable<Resource["read"]>): Route {
  const { resource } = on;
  return {
    ...base(on, "read", { summary: `Get ${a(resource.noun)}`, errors: [401, 403, resource.absent, 500] }),
    method: "GET",
    path: memberPath(resource),
    query: closed({ ...named(resource), ...(resource.remove?.archive && Archived) }),
    reply: rule.reply,
    async handle(input) {
      const record = await oneOf(on, input, "read");
      return rule.view(record, askedOf(on, input, { body: undefined, workspaceId: record.workspace_id ?? null }));
    },
  };
}

function updateRoute(on: On, rule: UpdateRule<TObject, TObject, TSchema>): Route {
  const { resource } = on;
  return {
    ...base(on, "update", {
      summary: `Update ${a(resource.noun)}`,
      errors: [400, 401, 403, resource.absent, 500],
      description: rule.description,
    }),
    method: "PUT",
    path: memberPath(resource),
    body: closed(withoutDefaults(rule.body.properties)),
    query: closed(named(resource)),
    reply: rule.reply,
    async handle(input) {
      const record = await oneOf(on, input, "update");
      const { body, isLong } = storable(input.body);
      const step = isLong ? nextTurn : noTurn;
      const asked = askedOf(on, input, { body, workspaceId: record.workspace_id ?? null });
      await step();
      const change = { ...(await rule.change(record, asked)), last_updated_at: input.now };
      const next = { ...record, ...change };
      await step();
      await rule.before?.(next, asked);
      await step();
      const update = () => rowsOf(on).update(record.id, change, { organisation_id: record.organisation_id });
      if (!(await refusingTaken(on, next, update))) throw absent(resource, record.id);
      return rule.answer(next, asked);
    },
  };
}

function removeRoute(on: On, rule: RemoveRule<TObject>): Route {
  const { resource } = on;
  return {
    ...base(on, "delete", {
      summary: `Delete ${a(resource.noun)}`,
      errors: [400, 401, 403, resource.absent, 500],
      description: rule.description,
    }),
    method: "DELETE",
    path: memberPath(resource),
    query: closed(named(resource)),
    reply: closed({}),
    async handle(input) {
      const record = await oneOf(on, input, "delete");
      await rule.before?.(record, askedOf(on, input, { body: undefined, workspaceId: record.workspace_id ?? null }));
      if (rule.archive) await rowsOf(on).update(record.id, { ...rule.archive(), last_updated_at: input.now });
      else await rowsOf(on).remove(record.id);
      return {};
    },
  };
}

function actionRoute(on: On, action: MemberAction): Route {
  const { resource } = on;
  return {
    ...base(on, "read", { summary: action.summary, errors: [400, 401, 403, resource.absent, 500], description: action.description }),
    scope: action.scope,
    method: action.method,
    path: memberPath(resource) + action.path,
    ...(action.body && { body: closed(action.body.properties) }),
    query: closed(named(resource)),
    reply: action.reply,
    async handle(input) {
      const record = await oneOf(on, input, undefined);
      return action.run(record, askedOf(on, input, { body: storable(input.body ?? {}).body, workspaceId: record.workspace_id ?? null }));
    },
  };
}

interface Documented {
  readonly summary: string;
  readonly errors: readonly number[];
  readonly description?: string | undefined;
}
function base({ resource }: On, action: ResourceAction, { summary, errors, description }: Documented) {
  return {
    plane: resource.plane,
    tag: resource.tag,
    summary,
    errors: [...new Set(errors)].sort(),
    ...(description !== undefined && { description }),
    scope: resource.scopes.families.map((family) => `${family}.${action}`),
  } as const;
}

function stamped({ resource }: On, asked: RuleInput, draft: object): Row {
  return {
    ...draft,
    id: crypto.randomUUID(),
    created_at: asked.now,
    last_updated_at: asked.now,
    organisation_id: asked.organisationId,
    ...(hasWorkspaces(resource) && { workspace_id: asked.workspaceId }),
  };
}

function askedOf(
  { handles }: On,
  input: Input,
  more: { readonly body: unknown; readonly workspaceId: string | null },
): RuleInput<never, never> {
  const { caller, params, query, now } = input;
  const asked = {
    ...handles,
    caller,
    params,
    query,
    now,
    actor: caller.userId ?? caller.keyId,
    organisationId: caller.organisationId,
    ...more,
  };
  return asked as RuleInput<never, never>; // the route's schema has accepted the body and query that the rule was written for
}

/** An escaped NUL, not an escaped backslash before the letters u0000. */
const NUL = /(?<!\\)(?:\\\\)*\\u0000/;
/** A body that every database can hold: one of them has no NUL in text or JSON. */
function storable(body: unknown): { readonly body: Json; readonly isLong: boolean } {
  const text = JSON.stringify(body);
  if (!NUL.test(text)) return { body: body as Json, isLong: text.length > LONG }; // the route's schema is an object
  throw new GatewayError("REQUEST_INVALID", { what: "The request is not valid: a text in it holds the character U+0000." });
}

function ownOrganisation(caller: Caller, named: unknown): void {
  if (named === undefined || named === caller.organisationId) return;
  throw new GatewayError("ACCESS_DENIED", { what: `the organisation ${String(named)}` }, { param: "organisation_id" });
}

/** A member left out of an update stays as it is, so its default must not come in its place. */
const withoutDefaults = (properties: TProperties): TProperties =>
  Object.fromEntries(Object.entries(properties).map(([name, { default: _, ...schema }]) => [name, schema as TSchema])); // symbols travel with the spread

/** Each step with a longer body takes as long as a turn of the event loop may. Its length is what was read, whatever was declared. */
const LONG = 32 * 1024;
const noTurn = (): void => undefined;

/** A rule sees its own filters, not the page. */
const only = (query: Json, { properties }: TObject): Json =>
  Object.fromEntries(Object.entries(query).filter(([name]) => name in properties));

const named = (resource: Resource): TProperties => (resource.tenancy === "organisation" ? {} : Named);
const memberPath = (resource: Resource): string => `${resource.path}/:${resource.param}`;
const plural = (resource: Resource): string => resource.plural ?? `${resource.noun}s`;
const a = (noun: string): string => `${/^[aeiou]/i.test(noun) ? "an" : "a"} ${noun}`;
