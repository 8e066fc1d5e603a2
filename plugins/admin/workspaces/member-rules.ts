import { GatewayError, type RecordsHandle, WorkspaceMembers } from "#contract";

/** Nobody is a member twice. */
export async function refuseMembers(workspaceId: string, ids: readonly string[], records: Pick<RecordsHandle, "in">): Promise<void> {
  const twice = ids.find((id, at) => ids.indexOf(id) !== at);
  const there = await records.in(WorkspaceMembers).first({ workspace_id: workspaceId, user_id: [...ids] });
  const taken = twice ?? there?.user_id;
  if (taken !== undefined) throw new GatewayError("CONFLICT", { what: `The member ${taken}` }, { param: "users" });
}
