import {
  GatewayError,
  Invites,
  isUuid,
  newSecretText,
  normalEmail,
  permissionAs,
  type RecordOf,
  refuseAboveRole,
  type RuleInput,
  Users,
  Workspaces,
} from "#contract";

export type Invite = RecordOf<typeof Invites>;
type Input = Pick<RuleInput, "records" | "organisationId">;

/** How long an invitation can be accepted. */
const LASTS_MS = 7 * 86_400_000;

/** By the clock: nobody need write down that a time has come. */
export const stateOf = ({ status, expires_at }: Invite, now: number): Invite["status"] =>
  status === "pending" && expires_at <= now ? "expired" : status;

/** Who asks for a state asks the records, so what is over is written down before. */
export async function markOverdue({ records, organisationId, now }: Input & Pick<RuleInput, "now">): Promise<void> {
  const where = { organisation_id: organisationId, status: "pending" as const };
  for (;;) {
    const { data } = await records.in(Invites).list({ where, orderBy: { by: "expires_at", direction: "asc" }, limit: AT_ONCE, offset: 0 });
    const overdue = data.filter(({ expires_at }) => expires_at <= now);
    for (const { id } of overdue) await records.in(Invites).update(id, { status: "expired", last_updated_at: now }, { status: "pending" });
    if (overdue.length < AT_ONCE) return;
  }
}
const AT_ONCE = 100;

/** Nobody is invited who is there, or who has an invitation that is open. */
export async function judgedEmail(given: string, input: Input & Pick<RuleInput, "now">): Promise<string> {
  const email = normalEmail(given);
  const { records, organisationId: organisation_id } = input;
  await markOverdue(input);
  const taken = async (what: string, found: unknown): Promise<void> => {
    if (await found) throw new GatewayError("CONFLICT", { what: `${what} "${email}"` }, { param: "email" });
  };
  await taken("A user with the email", records.in(Users).first({ organisation_id, email }));
  await taken("A pending invite for the email", records.in(Invites).first({ organisation_id, email, status: "pending" }));
  return email;
}

/** Workspaces by their ids, each once. */
export async function storedWorkspaces(given: Invite["workspaces"], { records, organisationId }: Input): Promise<Invite["workspaces"]> {
  const found = new Map<string, Invite["workspaces"][number]>();
  for (const [at, { id: address, role }] of given.entries()) {
    const where = { organisation_id: organisationId, status: "active" as const, [isUuid(address) ? "id" : "slug"]: address };
    const workspace = /^[\w.-]+$/.test(address) ? await records.in(Workspaces).first(where) : undefined;
    if (!workspace || found.has(workspace.id)) throw refusedWorkspace(address, at, workspace !== undefined);
    found.set(workspace.id, { id: workspace.id, role });
  }
  return [...found.values()];
}
function refusedWorkspace(address: string, at: number, isTwice: boolean): GatewayError {
  const what = isTwice ? "The workspace is named twice." : `There is no workspace ${address.slice(0, 40)}.`;
  return new GatewayError("REQUEST_INVALID", { what }, { param: `workspaces[${at}].id` });
}

/** A secret link: only a keyed hash of its token is kept. */
export type Fresh = Pick<Invite, "token_digest" | "expires_at">;
export function freshLink({ vault, now, origin }: Pick<RuleInput, "vault" | "now" | "origin">): {
  readonly fresh: Fresh;
  readonly link: string;
} {
  const token = newSecretText(vault);
  const fresh = { token_digest: tokenDigest(token, vault), expires_at: now + LASTS_MS };
  return { fresh, link: `${origin}/v2/admin/users/invites/accept?token=${token}` };
}
/** It is no gateway key, and is never taken for one. */
export const tokenDigest = (token: string, vault: Pick<RuleInput["vault"], "digest">): string => vault.digest(`invite ${token}`);

/** What an invite promises is judged as a user key is, in each workspace and with the role that it gives there. */
export async function refuseAboveRoles(
  { role, workspaces, workspace_api_key_details: promised }: Pick<Invite, "role" | "workspaces" | "workspace_api_key_details">,
  { records, catalog, organisationId }: Input & Pick<RuleInput, "catalog">,
): Promise<void> {
  for (const { id: workspaceId, role: workspace } of promised ? workspaces : []) {
    const permission = await permissionAs({ organisation: role, workspace }, { organisationId, workspaceId }, records, catalog.scopes());
    refuseAboveRole(promised?.scopes ?? [], permission, "workspace_api_key_details.scopes");
  }
}

export function newToken(input: Pick<RuleInput, "vault" | "now" | "origin">) {
  const { fresh, link } = freshLink(input);
  return { record: { ...fresh, accepted_at: null }, once: link };
}

export function refuseSettled(invite: Invite, now: number, action = "cancelled"): void {
  const state = stateOf(invite, now);
  if (state === "accepted" || state === "cancelled")
    throw new GatewayError("IN_USE", { what: "The invite", action, why: `it is ${state}` });
}

/** Writes to the invite as it was read: one that was accepted or cancelled meanwhile stays so. */
export async function changeState(
  { id, status }: Invite,
  change: Partial<Fresh> & Pick<Invite, "status" | "last_updated_at">,
  { records }: Pick<RuleInput, "records">,
): Promise<void> {
  if (await records.in(Invites).update(id, change, { status })) return;
  throw new GatewayError("IN_USE", { what: "The invite", action: "changed", why: "its state changed meanwhile" });
}
