import { type TObject, type TSchema, Type } from "@sinclair/typebox";
import type { Json, ListRule, Route } from "#contract";
import { ENVELOPES } from "./envelope.ts";
import { pageOf } from "./page-of.ts";
import { type On, rowsOf, tenantMember, workspaceIn } from "./record.ts";
import { base, closed, named, Organisation, plural, ruleInputOf } from "./route-parts.ts";
import { inTenant, ownOrganisation, reachOfList } from "./tenancy.ts";

/** `GET` of many: one page, of what the caller reaches. */
export function listRoute(on: On, rule: ListRule<TObject, TObject, TSchema>): Route {
  const { resource, handles } = on;
  const { default: size = 100, minimum = 1, maximum = 1000 } = rule.page ?? {};
  const names = rule.pageNames ?? { size: "page_size", page: "current_page" };
  const page = {
    [names.size]: Type.Optional(Type.Integer({ minimum, maximum, default: size, description: "How many on a page." })),
    [names.page]: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: "Page, from 0." })),
  };
  const envelope = ENVELOPES[rule.envelope];
  return {
    ...base(on, "list", { summary: rule.summary ?? `List ${plural(resource)}`, errors: [400, 401, 403, 500] }),
    method: "GET",
    path: resource.path,
    query: closed({ ...page, ...named(resource), ...Organisation, ...rule.query.properties }),
    reply: envelope.schema(rule.item),
    async handle(input) {
      const query = input.query as Json;
      ownOrganisation(input.caller, query["organisation_id"]);
      const reach = await reachOfList(
        { tenancy: resource.tenancy, showsOrganisation: rule.showsOrganisation },
        input.caller,
        workspaceIn(query),
        handles.records,
      );
      const ruleInput = ruleInputOf(on, input, { body: undefined, workspaceId: reach.workspaces?.[0] ?? null });
      const filters = { ...ruleInput, query: only(query, rule.query) };
      const where = inTenant((await rule.where?.(filters)) ?? {}, reach, tenantMember(resource));
      const limit = Number(query[names.size] ?? size);
      const offset = Number(query[names.page] ?? 0) * limit;
      const page = { where: where ?? {}, limit, offset, ...(rule.omit && { omit: rule.omit }) };
      const members = Object.keys(resource.collection.schema.properties);
      const found = where ? await pageOf(rowsOf(on), page, members, (row) => rule.view(row, ruleInput)) : { data: [], total: 0 };
      const added = (await rule.joined?.(found.data, ruleInput)) ?? [];
      return envelope.wrap(rule.joined ? found.data.map((item, at) => Object.assign({}, item, added[at])) : found.data, found.total);
    },
  };
}

/** A rule sees its own filters, not the page. */
const only = (query: Json, { properties }: TObject): Json =>
  Object.fromEntries(Object.entries(query).filter(([name]) => name in properties));
