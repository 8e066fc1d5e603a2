import { type TObject, type TProperties, type TSchema, Type } from "@sinclair/typebox";
import {
  type CreateRule,
  GatewayError,
  inserting,
  type Json,
  type MemberAction,
  nextTurn,
  OneOf,
  type RemoveRule,
  type Resource,
  type ResourceHandles,
  type Route,
  type Tenancy,
  type UpdateRule,
  updating,
  type Write,
} from "#contract";
import { hidesArchived, type Input, need, type On, oneOf, type Row, rowsOf, workspaceIn } from "./record.ts";
import { refusingTaken } from "./taken.ts";
import { listRoute } from "./list-route.ts";
import { a, base, closed, memberPath, named, Organisation, ruleInputOf, stamped } from "./route-parts.ts";
import { ownOrganisation, placeOf } from "./tenancy.ts";
import { tagged } from "./etag.ts";
import { done, laterThan, written } from "./write.ts";

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

const Archived = {
  status: Type.Optional(OneOf(["active", "archived"], { default: "active", description: "`archived` finds one that was deleted." })),
};
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
    ...(rule.words && { words: rule.words }),
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
      const ruleInput = ruleInputOf(on, input, { body, workspaceId });
      await step();
      const { record: draft, once = "" } = await rule.make(ruleInput);
      const record = stamped(on, ruleInput, draft);
      need(on, input.caller, "create", record);
      await step();
      await rule.before?.(record, ruleInput);
      await step();
      await inserted(on, record, (await rule.beside?.(record, ruleInput)) ?? []);
      await rule.after?.(record, ruleInput, once).catch(async (thrown: unknown) => {
        await rowsOf(on).remove(record.id);
        throw thrown;
      });
      return rule.answer(record, once, ruleInput);
    },
  };
}

async function inserted(on: On, record: Row, beside: readonly Write[]): Promise<void> {
  const { resource, handles } = on;
  const isWritten = await refusingTaken(on, record, async () => {
    if (beside.length > 0) return handles.records.together([inserting(resource.collection, record), ...beside]);
    await rowsOf(on).insert(record);
    return true;
  });
  if (!isWritten) throw new GatewayError("CHANGED_MEANWHILE", { what: `What the ${resource.noun} is made with` });
}

function readRoute(on: On, rule: NonNullable<Resource["read"]>): Route {
  const { resource } = on;
  return {
    ...base(on, "read", { summary: `Get ${a(resource.noun)}`, errors: [401, 403, resource.absent, 500] }),
    method: "GET",
    path: memberPath(resource),
    conditional: "read",
    ...(rule.action !== undefined && { action: rule.action }),
    query: closed({ ...named(resource), ...(hidesArchived(resource) && Archived) }),
    reply: rule.reply,
    async handle(input) {
      const record = await oneOf(on, input, "read");
      const shown = await rule.view(record, ruleInputOf(on, input, { body: undefined, workspaceId: record.workspace_id ?? null }));
      return tagged(on, input, record, shown);
    },
  };
}

function updateRoute(on: On, rule: UpdateRule<TObject, TObject, TSchema>): Route {
  const { resource } = on;
  return {
    ...base(on, "update", {
      summary: `Update ${a(resource.noun)}`,
      errors: [400, 401, 403, resource.absent, 409, 412, 500],
      description: rule.description,
    }),
    method: "PUT",
    path: memberPath(resource),
    conditional: "write",
    body: closed(withoutDefaults(rule.body.properties)),
    query: closed(named(resource)),
    reply: rule.reply,
    handle: (input) => written(on, input, "update", (record) => updated(on, rule, record, input)),
  };
}

async function updated(on: On, rule: UpdateRule<TObject, TObject, TSchema>, record: Row, input: Input): Promise<unknown> {
  const { body, isLong } = storable(input.body);
  const step = isLong ? nextTurn : noTurn;
  const ruleInput = ruleInputOf(on, input, { body, workspaceId: record.workspace_id ?? null });
  await step();
  const change = { ...(await rule.change(record, ruleInput)), last_updated_at: laterThan(record, input.now) };
  const next = { ...record, ...change };
  await step();
  await rule.before?.(next, ruleInput);
  await step();
  const beside = (await rule.beside?.(next, ruleInput)) ?? [];
  const expected = { organisation_id: record.organisation_id, last_updated_at: record.last_updated_at };
  const isWritten = await refusingTaken(on, next, () =>
    beside.length > 0
      ? on.handles.records.together([updating<TObject>(on.resource.collection, record.id, change, expected), ...beside])
      : rowsOf(on).update(record.id, change, expected),
  );
  return isWritten ? rule.answer(next, ruleInput) : undefined;
}

function removeRoute(on: On, rule: RemoveRule<TObject>): Route {
  const { resource } = on;
  return {
    ...base(on, "delete", {
      summary: `Delete ${a(resource.noun)}`,
      errors: [400, 401, 403, resource.absent, 409, 412, 500],
      description: rule.description,
    }),
    method: "DELETE",
    path: memberPath(resource),
    conditional: "write",
    query: closed(named(resource)),
    reply: closed({}),
    handle: (input) => written(on, input, "delete", (record) => removed(on, rule, record, input)),
  };
}

async function removed(on: On, rule: RemoveRule<TObject>, record: Row, input: Input): Promise<object> {
  const ruleInput = ruleInputOf(on, input, { body: undefined, workspaceId: record.workspace_id ?? null });
  await rule.before?.(record, ruleInput);
  if (rule.archive) await rowsOf(on).update(record.id, { ...rule.archive(), last_updated_at: laterThan(record, input.now) });
  else await rowsOf(on).remove(record.id);
  await rule.after?.(record, ruleInput);
  return {};
}

function actionRoute(on: On, action: MemberAction): Route {
  const { resource } = on;
  const { scope } = action;
  const kind = isOfKind(scope) ? scope.as : undefined;
  const isWrite = action.method !== "GET";
  return {
    ...base(on, kind ?? "read", {
      summary: action.summary,
      errors: [400, 401, 403, resource.absent, ...(isWrite ? [409, 412] : []), 500],
      description: action.description,
    }),
    ...(isWrite && { conditional: "write" }),
    ...(!isOfKind(scope) && { scope }),
    method: action.method,
    path: memberPath(resource) + action.path,
    ...(action.body && { body: closed(action.body.properties) }),
    ...(action.maxBodyBytes !== undefined && { maxBodyBytes: action.maxBodyBytes }),
    ...(action.action !== undefined && { action: action.action }),
    query: closed({ ...named(resource), ...action.query?.properties }),
    reply: action.reply,
    async handle(input) {
      const { body } = storable(input.body ?? {});
      const run = (record: Row): Promise<unknown> =>
        action.run(record, ruleInputOf(on, input, { body, workspaceId: record.workspace_id ?? null }));
      return isWrite ? done(on, input, kind, run) : run(await oneOf(on, input, kind));
    },
  };
}

type OfKind = Extract<MemberAction["scope"], { readonly as: unknown }>;
const isOfKind = (scope: MemberAction["scope"]): scope is OfKind => typeof scope === "object" && "as" in scope;

/** An escaped NUL, not an escaped backslash before the letters u0000. */
const NUL = /(?<!\\)(?:\\\\)*\\u0000/;
/** A body that every database can hold: one of them has no NUL in text or JSON. */
function storable(body: unknown): { readonly body: Json; readonly isLong: boolean } {
  const text = JSON.stringify(body);
  if (!NUL.test(text)) return { body: body as Json, isLong: text.length > LONG }; // the route's schema is an object
  throw new GatewayError("REQUEST_INVALID", { what: "The request is not valid: a text in it holds the character U+0000." });
}

/** A member left out of an update stays as it is, so its default must not come in its place. */
const withoutDefaults = (properties: TProperties): TProperties =>
  Object.fromEntries(Object.entries(properties).map(([name, { default: _, ...schema }]) => [name, schema as TSchema])); // symbols travel with the spread

/** Each step with a longer body takes as long as a turn of the event loop may. Its length is what was read, whatever was declared. */
const LONG = 32 * 1024;
const noTurn = (): void => undefined;
