import { GatewayError, inserting, IntegrationWorkspaces, nextTurn, type RecordsHandle, removing, updating, type Write } from "#contract";
import { type Body, type GivenGrant, type Grant, grantsOf, type Input, type Integration } from "./grants.ts";

/* What is said of many workspaces is written in batches, each of which stands or falls whole. */

/** Longer transactions keep other writers waiting. */
const AT_ONCE = 200;
type Named = readonly [workspaceId: string, given: GivenGrant];

export async function saveGrants(record: Integration, named: ReadonlyMap<string, GivenGrant>, input: Input): Promise<void> {
  for (const batch of batches([...named])) {
    const before = await grantsOf(
      record,
      input.records,
      batch.map(([id]) => id),
    );
    const writes = batch.map(([id, given]) => writeOf(record, [id, given], before.get(id), input.now));
    await made(writes, input.records);
  }
}

function writeOf(record: Integration, [workspace_id, given]: Named, own: Grant | undefined, now: number): Write {
  const { enabled, usage_limits = own?.usage_limits ?? null, rate_limits = own?.rate_limits ?? null } = given;
  const last_reset_at = given.reset_usage ? now : (own?.last_reset_at ?? null);
  const grant = { enabled, usage_limits, rate_limits, last_reset_at, last_updated_at: now };
  if (own) return updating(IntegrationWorkspaces, own.id, grant);
  const { id: integration_id, organisation_id } = record;
  return inserting(IntegrationWorkspaces, {
    id: crypto.randomUUID(),
    created_at: now,
    organisation_id,
    workspace_id,
    integration_id,
    ...grant,
  });
}

/** What was said of single workspaces, these apart, holds no longer where the request says so. */
export async function forgetGrants(record: Integration, except: ReadonlyMap<string, GivenGrant>, { body, records }: Input): Promise<void> {
  if (!isOverriding(body)) return;
  const others = [...(await grantsOf(record, records)).values()].filter(({ workspace_id }) => !except.has(workspace_id));
  for (const batch of batches(others))
    await made(
      batch.map(({ id }) => removing(IntegrationWorkspaces, id)),
      records,
    );
}
const isOverriding = ({ override_existing_workspace_access: overrides }: Body): boolean => overrides === true;

async function made(writes: readonly Write[], records: RecordsHandle): Promise<void> {
  if (!(await records.together(writes))) throw new GatewayError("CHANGED_MEANWHILE", { what: "A grant of the integration" });
  await nextTurn();
}

function* batches<T>(all: readonly T[]): Generator<readonly T[]> {
  for (let at = 0; at < all.length; at += AT_ONCE) yield all.slice(at, at + AT_ONCE);
}
