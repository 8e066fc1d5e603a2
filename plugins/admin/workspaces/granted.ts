import { IntegrationWorkspaces, type RecordOf, type RuleInput, SecretReferences, type Workspaces } from "#contract";

type Workspace = RecordOf<typeof Workspaces>;
type Input = Pick<RuleInput, "records" | "now">;
const AT_ONCE = 500;

/** What the organisation grants to single workspaces names none that is gone. */
export async function forgetGranted(workspace: Workspace, input: Input): Promise<void> {
  await forgetIntegrations(workspace, input);
  await forgetReferences(workspace, input);
}

async function forgetIntegrations({ id: workspace_id }: Workspace, { records }: Input): Promise<void> {
  const grants = records.in(IntegrationWorkspaces);
  for (;;) {
    const { data } = await grants.list({ where: { workspace_id }, limit: AT_ONCE, offset: 0 });
    for (const { id } of data) await grants.remove(id);
    if (data.length < AT_ONCE) return;
  }
}

async function forgetReferences({ id: workspace, organisation_id }: Workspace, { records, now }: Input): Promise<void> {
  const references = records.in(SecretReferences);
  for (let offset = 0; ; offset += AT_ONCE) {
    const where = { organisation_id, allow_all_workspaces: false };
    const { data } = await references.list({ where, limit: AT_ONCE, offset });
    for (const { id, allowed_workspaces: allowed } of data)
      if (allowed.includes(workspace)) await withdraw(id, workspace, { records, now });
    if (data.length < AT_ONCE) return;
  }
}

/** Somebody else may write it meanwhile: what they wrote is kept. */
async function withdraw(id: string, workspace: string, { records, now }: Input): Promise<void> {
  const references = records.in(SecretReferences);
  for (;;) {
    const current = await references.get(id);
    if (!current?.allowed_workspaces.includes(workspace)) return;
    const allowed_workspaces = current.allowed_workspaces.filter((allowed) => allowed !== workspace);
    const last_updated_at = Math.max(now, current.last_updated_at + 1);
    if (await references.update(id, { allowed_workspaces, last_updated_at }, { last_updated_at: current.last_updated_at })) return;
  }
}
