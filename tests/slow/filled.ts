/** A deployment with as many records as a large one has, written by the embedded storage itself. */
import { ApiKeys, BLANK_WORKSPACE, Configs, DEFAULT_WORKSPACE, NO_ROTATION, type RecordOf, type Records, Workspaces } from "#contract";
import { connectSqlite } from "../../storage/sqlite/index.ts";

export const FILLED = { keys: 100_000, configs: 10_000, workspaces: 1_000 };
/** As many as one statement takes. */
const AT_ONCE = 1_000;
export const idOf = (i: number): string => `00000000-0000-4000-8000-${i.toString(16).padStart(12, "0")}`;

type Host = Pick<RecordOf<typeof ApiKeys>, "created_at" | "last_updated_at" | "organisation_id">;

/** Half of the keys and all of the configs are of one workspace, `first`: the longest lists that there are. */
export async function fill(dataDir: string): Promise<{ readonly first: string }> {
  const running = connectSqlite(HOST, { dir: dataDir, busyTimeoutMs: 20_000 });
  await running.ready?.();
  const { records } = running.provides;
  try {
    const found = await records?.in(Workspaces).first({ slug: DEFAULT_WORKSPACE });
    if (!records || !found) throw new Error(`${dataDir} holds no deployment`);
    const { id: first, organisation_id } = found;
    const stamps: Host = { created_at: 1_700_000_000_000, last_updated_at: 1_700_000_000_000, organisation_id };
    await many(records.in(Workspaces), FILLED.workspaces, (i) => ({
      ...{ ...stamps, ...BLANK_WORKSPACE, id: idOf(i), name: `Team ${i}`, slug: `team-${i}` },
    }));
    await many(records.in(Configs), FILLED.configs, (i) => configOf(i, { ...stamps, workspace_id: first }));
    await many(records.in(ApiKeys), FILLED.keys, (i) =>
      keyOf(i, { ...stamps, workspace_id: i % 2 === 0 ? first : idOf((i >> 1) % FILLED.workspaces) }),
    );
    return { first };
  } finally {
    await running.close?.();
  }
}

async function many<T>(records: Records<T>, count: number, make: (i: number) => T): Promise<void> {
  for (let at = 0; at < count; at += AT_ONCE)
    await records.insertMissing(Array.from({ length: Math.min(AT_ONCE, count - at) }, (_, i) => make(at + i)));
}

const configOf = (i: number, host: Host & { readonly workspace_id: string }): RecordOf<typeof Configs> => ({
  ...{
    ...host,
    id: idOf(i),
    owner_id: idOf(0),
    updated_by: null,
    name: `Config ${i}`,
    slug: `config-${i}`,
    status: "active",
    is_default: 0,
  },
  ...{ version_id: idOf(i), config: { retry: { attempts: 1 + (i % 5) } } },
});
const keyOf = (i: number, host: Host & { readonly workspace_id: string }): RecordOf<typeof ApiKeys> => ({
  ...{ ...host, id: idOf(i), user_id: null, created_by: idOf(0), type: "workspace-service", creation_mode: "api", name: `Key ${i}` },
  ...{ description: null, digest: `digest-${i}`, masked_key: "ab*******yz", status: "active", scopes: ["completions.write"] },
  ...{ rate_limits: [], usage_limits: null, defaults: {}, alert_emails: [], expires_at: null, ...NO_ROTATION },
});
const HOST = { log: () => undefined, now: Date.now, keepsTables: true } as const;
