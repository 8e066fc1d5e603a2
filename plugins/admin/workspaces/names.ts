import { type Caller, idsThat, type RecordOf, type RuleInput, type Where, Workspaces } from "#contract";

type Workspace = RecordOf<typeof Workspaces>;
interface Filters {
  readonly name?: string;
  readonly exact_name?: string;
  readonly status?: string;
}
type ListInput = RuleInput<undefined, Filters>;

/** Archived ones are for those who see all of the organisation. */
export function statesIn({ query, caller }: ListInput): Where<Workspace> {
  const asked = (query.status ?? "active").split(",");
  return { status: visibleTo(caller) ? (asked as Workspace["status"][]) : "active" }; // the pattern of the query lets no other in
}
const visibleTo = ({ workspaceId }: Caller): boolean => workspaceId === null;

export async function named({ query, organisationId, records }: ListInput): Promise<Where<Workspace>> {
  if (query.exact_name !== undefined) return { name: query.exact_name };
  if (query.name === undefined) return {};
  const text = query.name.toLowerCase();
  const omit = ["defaults", "usage_limits", "rate_limits", "security_settings", "description"] as const;
  const of = { where: { organisation_id: organisationId }, omit };
  return { id: await idsThat(records.in(Workspaces), of, ({ name }) => name.toLowerCase().includes(text), "name") };
}
