import { type TObject, type TProperties, Type } from "@sinclair/typebox";
import type { Json } from "../json.ts";
import { refusePinned } from "../pin.ts";
import {
  type RuleInput,
  type CreateRule,
  defineResource,
  type ListRule,
  type ReadRule,
  type RemoveRule,
  type Resource,
  type Tenancy,
  type UpdateRule,
} from "../resource.ts";
import { type Answered, answered } from "./answer.ts";
import { createBody, filters, updateBody } from "./bodies.ts";
import type { FieldCollection } from "./collection.ts";
import type { Fields } from "./field.ts";
import type { AnyFieldResource as Rules, FieldResource, NoMembers } from "./rules.ts";
import { draftOf, revisionOf, sealsItself, type Stores } from "./store.ts";
import { forgetVersions, keepVersion, listVersions } from "./versions.ts";
import { type View, viewOf } from "./view.ts";

/** A resource of a collection of fields: five routes unless its table says otherwise. */
export function resourceOf<
  F extends Fields,
  T extends Tenancy,
  Q extends TProperties = NoMembers,
  C extends TProperties = NoMembers,
  U extends TProperties = NoMembers,
>(collection: FieldCollection<F, T>, rules: FieldResource<F, T, Q, C, U>): Resource {
  // The rules are called with what the schemas of the same fields accepted, so that the general ones may stand for them.
  return resourceFrom(collection as unknown as FieldCollection, rules as unknown as Rules);
}

function resourceFrom(collection: FieldCollection, rules: Rules): Resource {
  judgeFields(collection, rules);
  const { noun, plane, path, tag, scopes, plural, tenancy, param, by, absent, list = {}, remove = {}, versions, actions = [] } = rules;
  const whole = viewOf(collection, rules, "alone");
  const listed = viewOf(collection, rules, "list");
  const { reply, answer } = answered(rules, whole, undefined);
  return defineResource<TObject, TObject, TObject, TObject, TObject, TObject, TObject, TObject>({
    noun,
    plane,
    path,
    tag,
    scopes,
    collection,
    tenancy: tenancy ?? collection.tenancy,
    param: param ?? "id",
    by: by ?? ["id"],
    absent: absent ?? 404,
    ...(plural !== undefined && { plural }),
    actions: [...(versions ? [listVersions(versions, whole, { noun, scope: `${scopes.families[0]}.read` })] : []), ...actions],
    list: listRule(collection, rules, list, listed),
    ...(rules.create !== false && { create: createRule(collection, rules, whole) }),
    read: { ...readRule(rules, { reply, answer }), ...rules.read },
    ...(Object.values(collection.fields).some(({ rule }) => rule.update) && { update: updateRule(collection, rules, whole) }),
    remove: { ...remove, before: removing(rules) },
  });
}

/** What would fail at the first write, in words of the database, fails where it is written instead. */
function judgeFields({ name, fields }: FieldCollection, { create, store = {}, versions }: Rules): void {
  const unfilled =
    create !== false && Object.keys(fields).find((member) => !fields[member]?.rule.create && fields[member]?.rule.default === undefined);
  if (typeof unfilled === "string" && !(create || undefined)?.make)
    throw new TypeError(`The field ${unfilled} of ${name} is in no create body and has no default: create.make must fill it.`);
  const unsealed = Object.keys(fields).find(
    (member) => fields[member]?.rule.secret === "inside" && !store[member] && !sealsItself(fields[member].schema),
  );
  if (unsealed !== undefined)
    throw new TypeError(`The field ${unsealed} of ${name} does not say which of its members are secret: store must seal them.`);
  if (versions && !("version_id" in fields)) throw new TypeError(`The collection ${name} has versions, and no field version_id.`);
}

function listRule(
  { fields }: FieldCollection,
  { remove, joins }: Rules,
  rule: NonNullable<Rules["list"]>,
  view: View,
): ListRule<TObject, TObject, TObject> {
  const { filters: given = [], query = {}, where, envelope = "list", ...rest } = rule;
  const hides = remove?.archive !== undefined && !remove.staysVisible;
  const names: readonly string[] = hides ? ["status", ...given] : given;
  const isFilter = ([name]: readonly [string, unknown]): boolean => names.includes(name);
  return {
    ...rest,
    envelope,
    query: Type.Object({ ...filters(fields, names, hides ? { status: "active" } : {}), ...query }),
    where: async (input) => ({ ...Object.fromEntries(Object.entries(input.query).filter(isFilter)), ...(await where?.(input)) }),
    item: joins?.inLists ? Type.Object({ ...view.schema.properties, ...joins.schema }) : view.schema,
    view: (record, input) => view.of(record, input),
    ...(joins?.inLists && { joined: (page, input) => joins.of(page as { id: string }[], input) }), // every view shows the id
  };
}

function readRule({ joins }: Rules, { reply, answer }: Answered): ReadRule<TObject, TObject> {
  if (!joins) return { reply, view: (record, input) => answer(record, "", input) };
  return {
    reply: Type.Object({ ...reply.properties, ...joins.schema }),
    // Every record has an id.
    view: async (record, input) => ({ ...answer(record, "", input), ...(await joins.of([record as { id: string }], input))[0] }),
  };
}

function createRule({ fields }: FieldCollection, rules: Rules, view: View): CreateRule<TObject, TObject, TObject> {
  const { body = {}, make, answer, before, ...rest } = rules.create || {};
  return {
    ...rest,
    before: keeping(rules, before),
    body: Type.Object({ ...createBody(fields).properties, ...body }),
    async make(input) {
      refusePinnedTo(rules, input);
      const draft = await draftOf(fields, storesOf(rules), input);
      const { record: made, ...more } = (await make?.(input, draft)) ?? { record: {} };
      const record = { ...draft, ...made };
      await rules.judge?.(record, input, undefined);
      return { record, ...more };
    },
    ...answered(rules, view, answer),
  };
}

function updateRule({ fields }: FieldCollection, rules: Rules, view: View): UpdateRule<TObject, TObject, TObject> {
  const { body = {}, allow, change, answer, before, ...rest } = rules.update ?? {};
  const { reply, answer: answerOf } = answered(rules, view, answer);
  return {
    ...rest,
    before: keeping(rules, before),
    body: Type.Object({ ...updateBody(fields).properties, ...body }),
    async change(record, input) {
      refusePinnedTo(rules, input);
      await allow?.(record, input);
      const revision = await revisionOf(fields, storesOf(rules), record, input);
      const version = rules.versions && { version_id: crypto.randomUUID() };
      const changes = { ...revision, ...version, ...(await change?.(record, input, revision)) };
      await rules.judge?.({ ...record, ...changes }, input, record);
      return changes;
    },
    reply,
    answer: (record, input) => answerOf(record, "", input),
  };
}

const removing =
  ({ remove, ...rules }: Rules): NonNullable<RemoveRule<TObject>["before"]> =>
  async (record, input) => {
    refusePinnedTo(rules, input);
    await remove?.before?.(record, input);
    if (rules.versions) await forgetVersions(rules.versions, record, input);
  };

type Before = (record: Json, input: RuleInput<Json>) => Promise<void>;
const keeping =
  ({ versions }: Rules, before: Before | undefined): Before =>
  async (record, input) => {
    if (versions) await keepVersion(versions, record, input);
    await before?.(record, input);
  };

function refusePinnedTo(
  { decidesRoutes, noun, plural = `${noun}s` }: Pick<Rules, "decidesRoutes" | "noun" | "plural">,
  { caller }: RuleInput,
): void {
  if (decidesRoutes) refusePinned(caller, plural);
}
const storesOf = ({ store = {} }: Rules): Stores => store;
