import { defineErrors, GatewayError, letter, type Mailer, Organisations, type RuleInput, Workspaces } from "#contract";
import type { Invite } from "./invite-rules.ts";

type Input = Pick<RuleInput, "records" | "now"> & { readonly mail: Mailer };
const HOUR_MS = 3_600_000;

const errors = defineErrors({
  INVITES_EXHAUSTED: {
    status: 429,
    type: "rate_limit_error",
    ab: "AB06",
    message: "The invite for {email} was not sent: the organisation, or this address, has had too many mails within the hour.",
  },
});

/** Writes to the person. Throws where the organisation has written too much within the hour. */
export async function mailInvite(invite: Invite, link: string, { records, now, mail }: Input): Promise<void> {
  const { organisation_id: organisationId, email, expires_at: expiresAt } = invite;
  const content = { ...(await inviteLetter(invite, link, records)), linkScope: "organisation_users.create" };
  const fate = await mail.send({ organisationId, kind: "invite", to: [email], expiresAt, ...content });
  if (fate !== "refused") return;
  const retryAfterSec = Math.ceil((HOUR_MS - (now % HOUR_MS)) / 1_000);
  throw new GatewayError(errors.INVITES_EXHAUSTED, { email }, { retryAfterSec });
}

async function inviteLetter(invite: Invite, link: string, records: Input["records"]) {
  const organisation = (await records.in(Organisations).get(invite.organisation_id))?.name ?? "an organisation";
  return letter(`You are invited to ${organisation}`, [
    `You are invited to the AI gateway of ${organisation}, as ${invite.role}.`,
    ...(await workspaceLines(invite, records)),
    { words: "Accept the invitation", url: link },
    `The link works once, until ${new Date(invite.expires_at).toUTCString()}. If you did not expect it, there is nothing to do.`,
  ]);
}

async function workspaceLines({ workspaces }: Invite, records: Input["records"]): Promise<readonly string[]> {
  if (workspaces.length === 0) return [];
  const { data } = await records
    .in(Workspaces)
    .list({ where: { id: workspaces.map(({ id }) => id) }, limit: workspaces.length, offset: 0 });
  const roles = data.map(({ id, name }) => `${name} (${workspaces.find((given) => given.id === id)?.role ?? "member"})`);
  return [`Its workspaces for you: ${roles.join(", ")}.`];
}
