import { GatewayError, isUuid, type RecordOf, type RuleInput, type SecretReferences, Workspaces, type Written } from "#contract";

type Reference = RecordOf<typeof SecretReferences>;
type Body = Written<(typeof SecretReferences)["fields"]>;

/** All workspaces, or those that are named: the one that is given takes the other's place. */
export function visibility({ allow_all_workspaces: all, allowed_workspaces: some }: Body): Partial<Reference> {
  if (all === true && some !== undefined)
    throw invalid("allow_all_workspaces and allowed_workspaces exclude each other", "allowed_workspaces");
  if (all === false && some === undefined) throw invalid("allowed_workspaces must say which where not all may", "allowed_workspaces");
  if (some !== undefined) return { allow_all_workspaces: false };
  return all === true ? { allow_all_workspaces: true, allowed_workspaces: [] } : {};
}

/** Workspaces of the organisation, by id or slug, as ids. */
export async function workspacesNamed(named: readonly string[], { records, organisationId }: RuleInput<Body>): Promise<string[]> {
  const ids: string[] = [];
  for (const name of named) {
    const found = await records.in(Workspaces).first({ [isUuid(name) ? "id" : "slug"]: name, organisation_id: organisationId });
    if (!found) throw invalid(`the organisation has no workspace ${name}`, "allowed_workspaces");
    ids.push(found.id);
  }
  return [...new Set(ids)];
}

const invalid = (what: string, param: string): GatewayError =>
  new GatewayError("REQUEST_INVALID", { what: `The request is not valid: ${what}.` }, { param });
