import { normalEmail, type RecordsHandle, Users } from "#contract";
import type { ApiKey } from "../rotation.ts";

const MOST = 1_000;
/** Who cares for a key: who runs the organisation, whose key it is, and the addresses that it names. Each organisation is read once. */
export function peopleOf(records: Pick<RecordsHandle, "in">): (key: ApiKey) => Promise<readonly string[]> {
  const running = new Map<string, Promise<readonly string[]>>();
  const runningOf = (organisation: string): Promise<readonly string[]> => {
    const known = running.get(organisation) ?? whoRuns(organisation, records);
    running.set(organisation, known);
    return known;
  };
  return async ({ organisation_id, user_id, alert_emails }) => {
    const owner = user_id === null ? undefined : await records.in(Users).get(user_id);
    const all = [...(await runningOf(organisation_id)), ...(owner ? [owner.email] : []), ...alert_emails];
    return [...new Set(all.filter((email) => email !== "").map(normalEmail))];
  };
}

async function whoRuns(organisation_id: string, records: Pick<RecordsHandle, "in">): Promise<readonly string[]> {
  const where = { organisation_id, role: ["owner" as const, "admin" as const] };
  const { data } = await records.in(Users).list({ where, limit: MOST, offset: 0 });
  return data.map(({ email }) => email);
}
