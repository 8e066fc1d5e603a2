import { type Static, Type } from "@sinclair/typebox";
import {
  defineAction,
  GatewayError,
  GlobalWorkspaceAccess,
  GrantLimits,
  grantsOthers,
  IntegrationWorkspaces,
  Integrations,
  judgeUsageLimits,
  Nullable,
  type RecordOf,
  refusePinned,
  type RuleInput,
  isoTime,
  Workspaces,
} from "#contract";
import { changeIntegration } from "./change.ts";
import { newProviders, saveProviders } from "./grant-providers.ts";
import { forgetGrants, saveGrants } from "./save-grants.ts";

export type Integration = RecordOf<typeof Integrations>;
export type Grant = RecordOf<typeof IntegrationWorkspaces>;
const PATH = "/workspaces";
const closed = { additionalProperties: false } as const;
const ProviderSlug = Type.String({
  minLength: 1,
  maxLength: 255,
  pattern: "^[a-zA-Z0-9_-]+$",
  description: "Short name of that provider.",
});

const ShownGrant = Type.Object(
  {
    id: Type.String({ description: "Workspace." }),
    enabled: Type.Boolean({ description: "May it use the integration?" }),
    ...GrantLimits,
    last_reset_at: Nullable(Type.String({ format: "date-time", description: "When its usage was last reset." })),
  },
  closed,
);
const Page = Type.Object({
  page_size: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, default: 1000, description: "How many on a page." })),
  current_page: Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000_000, default: 0, description: "Page, from 0." })),
});
const list = defineAction(Integrations, {
  method: "GET",
  path: PATH,
  summary: "List what workspaces may do with an integration",
  description: "Every workspace that there is, with what holds for it: its own setting, or else global_workspace_access.",
  scope: { as: "read" },
  query: Page,
  reply: Type.Object({ total: Type.Integer({ minimum: 0, description: "How many on all pages." }), workspaces: Type.Array(ShownGrant) }),
  async run(record, { records, query }) {
    const { page_size: limit = 1000, current_page: page = 0 } = query;
    const where = {
      organisation_id: record.organisation_id,
      status: "active" as const,
      ...(record.workspace_id !== null && { id: record.workspace_id }),
    };
    const { data, total } = await records.in(Workspaces).list({ where, limit, offset: page * limit });
    const grants = await grantsOf(
      record,
      records,
      data.map(({ id }) => id),
    );
    return { total, workspaces: data.map(({ id }) => shownGrant(id, grants.get(id), record)) };
  },
});
function shownGrant(id: string, own: Grant | undefined, { global_workspace_access: all }: Integration): Static<typeof ShownGrant> {
  if (own) {
    const { enabled, usage_limits, rate_limits, last_reset_at: reset } = own;
    return { id, enabled, usage_limits, rate_limits, last_reset_at: reset === null ? null : isoTime(reset) };
  }
  const enabled = grantsOthers({ global_workspace_access: all });
  return { id, enabled, usage_limits: all?.usage_limits ?? null, rate_limits: all?.rate_limits ?? null, last_reset_at: null };
}

/** What is said of these workspaces in particular. */
export async function grantsOf(
  { id }: Pick<Integration, "id">,
  records: RuleInput["records"],
  workspaces?: readonly string[],
): Promise<ReadonlyMap<string, Grant>> {
  const where = { integration_id: id, ...(workspaces && { workspace_id: [...workspaces] }) };
  const { data } = await records.in(IntegrationWorkspaces).list({ where, limit: 10_000, offset: 0 });
  return new Map(data.map((grant) => [grant.workspace_id, grant]));
}

const GivenGrant = Type.Object(
  {
    id: Type.String({ minLength: 1, maxLength: 255, description: "Workspace, by id or slug." }),
    enabled: Type.Boolean({ description: "May it use the integration?" }),
    ...GrantLimits,
    reset_usage: Type.Optional(Type.Boolean({ description: "Its usage counts from zero again." })),
    create_default_provider: Type.Optional(
      Type.Boolean({ description: "Make a provider of it in this workspace; default: as said of all." }),
    ),
    default_provider_slug: Type.Optional(ProviderSlug),
  },
  closed,
);
const Body = Type.Object({
  workspaces: Type.Optional(
    Type.Array(GivenGrant, { maxItems: 1000, description: "Workspaces and what each may do; others stay as they are." }),
  ),
  global_workspace_access: Type.Optional(Nullable(GlobalWorkspaceAccess)),
  override_existing_workspace_access: Type.Optional(
    Type.Boolean({
      description: "Forgets what was said of single workspaces, those in this request apart: global_workspace_access holds for them.",
    }),
  ),
  create_default_provider: Type.Optional(
    Type.Boolean({ default: true, description: "Make a provider of it in each workspace that may use it from now on and has none." }),
  ),
  default_provider_slug: Type.Optional(ProviderSlug),
});
export type Body = Static<typeof Body>;
export type GivenGrant = Static<typeof GivenGrant>;
export type Input = RuleInput<Body>;

const write = defineAction(Integrations, {
  method: "PUT",
  path: PATH,
  summary: "Grant an integration to workspaces",
  description:
    "Until somebody says who may use an integration of the organisation, every workspace may. The first grant of single workspaces closes it to the others, unless global_workspace_access says otherwise. All is judged before anything is written, and holds everywhere within a second.",
  scope: { as: "update" },
  body: Body,
  reply: Type.Object({}),
  async run(record, input) {
    refusePinned(input.caller, "integrations");
    const named = await judgedGrants(record, input);
    const providers = await newProviders(record, named, input);
    const access = globalAccess(record, input.body);
    await saveGrants(record, named, input); // before it is closed to the others: who was granted it is never without it
    if (access !== undefined) await changeIntegration(record.id, input, () => ({ global_workspace_access: access }));
    await forgetGrants(record, named, input);
    await saveProviders(providers, input.records);
    return {};
  },
});

/** What is said of workspaces, by their ids. */
async function judgedGrants(record: Integration, { body, records }: Input): Promise<ReadonlyMap<string, GivenGrant>> {
  if (record.workspace_id !== null && body.global_workspace_access)
    throw invalid("it is one workspace's own, and is used there alone", "global_workspace_access");
  for (const limits of body.global_workspace_access?.usage_limits ?? []) judgeUsageLimits(limits);
  const given = body.workspaces ?? [];
  const places = given.length === 0 ? new Map<string, string>() : await workspacesIn(record, records);
  const named = new Map<string, GivenGrant>();
  for (const [index, grant] of given.entries()) {
    const at = `workspaces[${index}]`;
    const id = places.get(grant.id);
    if (id === undefined) throw invalid(`there is no workspace ${grant.id.slice(0, 80)} that may use it`, `${at}.id`);
    if (named.has(id)) throw invalid("it names a workspace twice", `${at}.id`);
    for (const limits of grant.usage_limits ?? []) judgeUsageLimits(limits);
    named.set(id, grant);
  }
  return named;
}

/** Active workspaces by id and by slug; an id is no slug. */
async function workspacesIn(
  { organisation_id, workspace_id }: Integration,
  records: RuleInput["records"],
): Promise<ReadonlyMap<string, string>> {
  const where = { organisation_id, status: "active" as const, ...(workspace_id !== null && { id: workspace_id }) };
  const { data } = await records.in(Workspaces).list({ where, limit: 10_000, offset: 0 });
  return new Map(data.flatMap(({ id, slug }) => [[slug, id] as const, [id, id] as const]));
}

/** A list that grants makes it a list of those who may, where nothing was said of all before. */
function globalAccess(
  record: Integration,
  { global_workspace_access: said, workspaces = [] }: Body,
): Integration["global_workspace_access"] | undefined {
  if (said !== undefined) return said;
  const begins = record.workspace_id === null && record.global_workspace_access === null && workspaces.some(({ enabled }) => enabled);
  return begins ? { enabled: false } : undefined;
}

const invalid = (why: string, param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The integration cannot be granted so: ${why}.` }, { param });

/** What one integration shows of its workspaces. */
export async function workspaceFacts(
  record: Integration,
  records: RuleInput["records"],
): Promise<{ workspace_count: number; last_reset_at: string | null }> {
  const grants = await grantsOf(record, records);
  const resets = [...grants.values()].map(({ last_reset_at }) => last_reset_at ?? 0);
  const last = Math.max(0, ...resets);
  const where = { organisation_id: record.organisation_id, status: "active" as const };
  const { data } = await records.in(Workspaces).list({ where, limit: 10_000, offset: 0, omit: ["defaults", "security_settings"] });
  const may = data.filter(({ id }) => shownGrant(id, grants.get(id), record).enabled && (record.workspace_id ?? id) === id);
  return { workspace_count: may.length, last_reset_at: last === 0 ? null : isoTime(last) };
}

/** `GET` and `PUT /integrations/{slug}/workspaces` */
export const grantActions = [list, write];
