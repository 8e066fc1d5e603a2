import { type Caller, type RecordOf, type RuleInput, type Where, Workspaces } from "#contract";

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

/** A page of the names alone: an organisation has thousands of workspaces at most. */
const MOST = 10_000;
export async function named({ query, organisationId, records }: ListInput): Promise<Where<Workspace>> {
  if (query.exact_name !== undefined) return { name: query.exact_name };
  if (query.name === undefined) return {};
  const text = query.name.toLowerCase();
  const omit = ["defaults", "usage_limits", "rate_limits", "security_settings", "description"] as const;
  const { data } = await records.in(Workspaces).list({ where: { organisation_id: organisationId }, limit: MOST, offset: 0, omit });
  return { id: data.filter(({ name }) => name.toLowerCase().includes(text)).map(({ id }) => id) };
}
