import type { RecordsHandle } from "./capability.ts";
import { GatewayError } from "./errors.ts";
import type { Caller } from "./request.ts";
import { Organisations } from "./schema/workspace.ts";
import type { RecordOf } from "./storage.ts";

type Organisation = RecordOf<typeof Organisations>;

/** The organisation of a key that is not one workspace's. */
export async function ownOrganisation(caller: Caller, records: Pick<RecordsHandle, "in">): Promise<Organisation> {
  if (caller.workspaceId !== null) throw new GatewayError("ACCESS_DENIED", { what: "the organisation's own record with a workspace key" });
  const organisation = await records.in(Organisations).get(caller.organisationId);
  if (organisation === undefined) throw new GatewayError("ACCESS_DENIED", { what: "an organisation that is gone" });
  return organisation;
}

/** Somebody else may write the settings meanwhile: what they wrote is kept. */
const TRIES = 5;
/** Changes the caller's organisation: `change` is told of what is there, and called again when that was written meanwhile. */
export async function changeOrganisation(
  caller: Caller,
  { records, now }: { readonly records: Pick<RecordsHandle, "in">; readonly now: number },
  change: (before: Organisation) => Partial<Pick<Organisation, "name" | "settings">>,
): Promise<void> {
  for (let tried = 0; tried < TRIES; tried += 1) {
    const before = await ownOrganisation(caller, records);
    const last_updated_at = Math.max(now, before.last_updated_at + 1);
    const expected = { last_updated_at: before.last_updated_at };
    if (await records.in(Organisations).update(before.id, { ...change(before), last_updated_at }, expected)) return;
  }
  throw new GatewayError("CHANGED_MEANWHILE", { what: "The organisation" });
}
