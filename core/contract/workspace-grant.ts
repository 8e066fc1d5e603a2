import type { RecordsHandle } from "./capability.ts";
import { type Integrations, IntegrationWorkspaces } from "./schema/integration.ts";
import type { RecordOf } from "./storage.ts";

type Grants = Pick<RecordOf<typeof Integrations>, "id" | "workspace_id" | "global_workspace_access">;

/** May workspaces of which nothing is said use it? As long as nobody said who may, all may; one that is a workspace's own, that one. */
export const grantsOthers = ({ global_workspace_access: access }: Pick<Grants, "global_workspace_access">): boolean =>
  access?.enabled ?? true;

/** May this workspace use the integration? */
export async function mayUse(integration: Grants, workspaceId: string | null, records: Pick<RecordsHandle, "in">): Promise<boolean> {
  if (integration.workspace_id !== null && integration.workspace_id !== workspaceId) return false;
  if (workspaceId === null) return grantsOthers(integration);
  const own = await records.in(IntegrationWorkspaces).first({ integration_id: integration.id, workspace_id: workspaceId });
  return own?.enabled ?? grantsOthers(integration);
}
