import { Type } from "@sinclair/typebox";
import {
  type Caller,
  changeOrganisation,
  defineRoute,
  GatewayError,
  isJson,
  isUuid,
  organisationGuardrails,
  ownOrganisation,
  type RecordsHandle,
  type Route,
  Uuid,
  Workspaces,
} from "#contract";

type Side = "input" | "output";
const closed = { additionalProperties: false } as const;
const OrganisationId = Type.String({ format: "uuid", description: "The caller's own organisation." });
const Body = Type.Object(
  {
    organisation_id: OrganisationId,
    workspaces: Type.Array(
      Type.Object(
        {
          workspace_id: Type.String({ minLength: 1, maxLength: 255, description: "Workspace, by id or slug." }),
          excluded: Type.Boolean({ description: "`false` enforces the organisation's guardrails there again." }),
        },
        closed,
      ),
      { maxItems: 1_000, description: "Which workspaces." },
    ),
    override_existing: Type.Optional(
      Type.Boolean({ default: false, description: "`true`: nobody else is excluded; without it what was said before stays." }),
    ),
  },
  closed,
);
const Excluded = Type.Object({
  workspace_id: Uuid("Workspace."),
  slug: Type.String({ description: "Its slug." }),
  name: Type.String({ description: "Its name." }),
  excluded: Type.Literal(true),
});
const List = Type.Object({ object: Type.Literal("list"), total: Type.Integer({ minimum: 0 }), data: Type.Array(Excluded) });

/** Workspaces whose requests (or answers) the organisation's default guardrails do not judge. */
export const exclusionRoutes = (records: RecordsHandle): Route[] =>
  (["input", "output"] as const).flatMap((side) => [readRoute(side, records), writeRoute(side, records)]);

const shared = (side: Side) =>
  ({ plane: "control", path: `/workspace-exclusions/${side}-guardrails`, tag: "Organisation", errors: [400, 401, 403, 409] }) as const;

const readRoute = (side: Side, records: RecordsHandle): Route =>
  defineRoute({
    ...{ ...shared(side), method: "GET", scope: "organisation_exclusions.list" },
    summary: `List the workspaces excluded from the organisation's ${side} guardrails`,
    query: Type.Object({ organisation_id: Type.Optional(OrganisationId) }, closed),
    reply: List,
    async handle({ caller, query }) {
      const { id: organisation_id, settings } = await organisationNamed(query.organisation_id, caller, records);
      const id = [...organisationGuardrails(settings).excluded[side]];
      const where = { id, organisation_id, status: "active" as const };
      const found = id.length === 0 ? [] : (await records.in(Workspaces).list({ where, limit: id.length, offset: 0 })).data;
      const data = found.map(({ id, slug, name }) => ({ workspace_id: id, slug, name, excluded: true as const }));
      return { object: "list" as const, total: data.length, data };
    },
  });

const writeRoute = (side: Side, records: RecordsHandle): Route =>
  defineRoute({
    ...{ ...shared(side), method: "PUT", scope: "organisation_exclusions.update" },
    summary: `Exclude workspaces from the organisation's ${side} guardrails`,
    description: "In force on every process within a second. All of the request or nothing of it.",
    body: Body,
    query: Type.Object({}, closed),
    reply: Type.Object({}),
    async handle({ caller, body, now }) {
      await organisationNamed(body.organisation_id, caller, records);
      const said = new Map<string, boolean>();
      for (const [at, { workspace_id, excluded }] of body.workspaces.entries())
        said.set(await workspaceId(workspace_id, at, caller, records), excluded);
      await changeOrganisation(caller, { records, now }, ({ settings }) => {
        const before = body.override_existing ? [] : organisationGuardrails(settings).excluded[side];
        const kept = before.filter((id) => !said.has(id));
        const added = [...said].flatMap(([id, excluded]) => (excluded ? [id] : []));
        const exclusions = isJson(settings["guardrail_exclusions"]) ? settings["guardrail_exclusions"] : {};
        return { settings: { ...settings, guardrail_exclusions: { ...exclusions, [side]: [...kept, ...added] } } };
      });
      return {};
    },
  });

async function organisationNamed(named: string | undefined, caller: Caller, records: RecordsHandle) {
  const organisation = await ownOrganisation(caller, records);
  if (named === undefined || named === organisation.id) return organisation;
  throw new GatewayError("ACCESS_DENIED", { what: `the organisation ${named}` }, { param: "organisation_id" });
}

async function workspaceId(named: string, at: number, { organisationId }: Caller, records: RecordsHandle): Promise<string> {
  const where = { organisation_id: organisationId, status: "active" as const, [isUuid(named) ? "id" : "slug"]: named };
  const found = /^[\w.-]+$/.test(named) ? await records.in(Workspaces).first(where) : undefined;
  if (found) return found.id;
  throw new GatewayError("ACCESS_DENIED", { what: `the workspace ${named.slice(0, 40)}` }, { param: `workspaces[${at}].workspace_id` });
}
