import { isoTime, letter, type Logger, type Mailer, normalEmail, type RecordsHandle, Users } from "#contract";
import type { ApiKey } from "../rotation.ts";

/** What people who care for a key are told, without anything secret: where its new secret is read, not what it is. */
export interface KeyNotice {
  readonly organisationId: string;
  readonly kind: keyof typeof NOTICES;
  readonly keyId: string;
  /** Addresses. */
  readonly to: readonly string[];
  readonly subject: string;
  readonly lines: readonly string[];
}
/** How notices reach people; `false` where they did not, and are to be told again. */
export type Tell = (notice: KeyNotice) => Promise<boolean>;

interface Wording {
  subject(name: string): string;
  lines(id: string, at: string): readonly string[];
}
const NOTICES = {
  key_rotated: {
    subject: (name) => `The secret of the API key ${name} was replaced`,
    lines: (id, at) => [
      `By its rotation policy it has a new secret. The one before works until ${at}.`,
      `Whoever may rotate the key reads the new one with GET /v2/api-keys/${id}/secret, within 30 days.`,
    ],
  },
  key_rotation_soon: {
    subject: (name) => `The secret of the API key ${name} will be replaced`,
    lines: (id, at) => [
      `By its rotation policy it gets a new secret at ${at}. The one before goes on working for the transition of the policy.`,
      `The new one is then read with GET /v2/api-keys/${id}/secret.`,
    ],
  },
  key_transition_soon: {
    subject: (name) => `The former secret of the API key ${name} is about to end`,
    lines: (id, at) => [`It works until ${at}. Whoever still uses it needs the new one: GET /v2/api-keys/${id}/secret.`],
  },
} as const satisfies Record<string, Wording>;

/** What is told of a key, about this moment. */
export async function noticeOf(kind: KeyNotice["kind"], key: ApiKey, at: number, records: Pick<RecordsHandle, "in">): Promise<KeyNotice> {
  const { subject, lines } = NOTICES[kind];
  const about = { organisationId: key.organisation_id, kind, keyId: key.id, to: await whoCaresFor(key, records) };
  return { ...about, subject: subject(key.name), lines: lines(key.id, isoTime(at)) };
}

const MOST = 1_000;
/** Who runs the organisation, whose key it is, and the addresses that it names. */
async function whoCaresFor(
  { organisation_id, user_id, alert_emails }: ApiKey,
  records: Pick<RecordsHandle, "in">,
): Promise<readonly string[]> {
  const where = { organisation_id, role: ["owner" as const, "admin" as const] };
  const { data } = await records.in(Users).list({ where, limit: MOST, offset: 0 });
  const owner = user_id === null ? undefined : await records.in(Users).get(user_id);
  const all = [...data.map(({ email }) => email), ...(owner ? [owner.email] : []), ...alert_emails];
  return [...new Set(all.filter((email) => email !== "").map(normalEmail))];
}

/** By mail, and in the process log without what it says. */
export const mailed =
  (mail: Mailer, log: Logger): Tell =>
  async ({ organisationId, kind, keyId, to, subject, lines }) => {
    const fate = to.length === 0 ? "kept" : await mail.send({ organisationId, kind, to, ...letter(subject, lines) });
    log(kind === "key_rotated" ? "info" : "warn", `api-key.${kind}`, { key: keyId, subject, people: to.length, mail: fate });
    return fate !== "refused";
  };
