import {
  after,
  all,
  type Call,
  type Caller,
  Integrations,
  IntegrationWorkspaces,
  type MaybePromise,
  type Plan,
  Providers,
  type RateLimit,
  type RecordsHandle,
} from "#contract";
import { type Limiter, lowestOf } from "./limiter.ts";
import { reachOf } from "./reach.ts";

/** What is looked up for them. */
export const PROVIDER_COLLECTIONS = [Providers, Integrations, IntegrationWorkspaces] as const;

/** Limits of where a request may go to. */
export type PlaceLimiters = (call: Call, caller: Caller, plan: Plan) => MaybePromise<readonly Limiter[]>;

const NONE: readonly Limiter[] = [];
/** What counts for workspaces of which nothing is said in particular. */
interface General {
  readonly organisation_id: string;
  readonly slug: string;
  readonly limits: readonly RateLimit[];
}

/**
 * Of the saved providers that a request may go to: a provider's own, and that of the grant by which its workspace may use
 * the integration. All that it may go to count, as in policies: wherever the request ends up, it was counted there.
 */
export function ofProviders(records: Pick<RecordsHandle, "lookup" | "lookupAll">): PlaceLimiters {
  const providersOf = records.lookupAll(Providers, ["workspace_id"], {}, (record) => ({
    slug: record.slug,
    integrationId: record.integration_id,
    limiters: lowestOf(record.rate_limits, record.slug, `rl:${record.organisation_id}:provider:${record.id}`),
  }));
  const grantOf = records.lookup(
    IntegrationWorkspaces,
    ["integration_id", "workspace_id"],
    ({ rate_limits }): readonly RateLimit[] => rate_limits ?? NO_LIMITS,
  );
  const generalOf = records.lookup(
    Integrations,
    ["id"],
    ({ organisation_id, slug, global_workspace_access: others }): General => ({
      organisation_id,
      slug,
      limits: others?.rate_limits ?? NO_LIMITS,
    }),
  );
  const made = new WeakMap<readonly RateLimit[], Map<string, readonly Limiter[]>>();

  const limitersOf = (limits: readonly RateLimit[], { organisation_id, slug }: General, integrationId: string, workspaceId: string) => {
    if (limits.length === 0) return NONE;
    const known = made.get(limits) ?? new Map<string, readonly Limiter[]>();
    made.set(limits, known);
    const found = known.get(workspaceId) ?? lowestOf(limits, slug, `rl:${organisation_id}:grant:${integrationId}:${workspaceId}`);
    known.set(workspaceId, found);
    return found;
  };
  const ofGrant = (integrationId: string, workspaceId: string): MaybePromise<readonly Limiter[]> =>
    after(generalOf(integrationId), (general) => {
      if (!general) return NONE;
      return after(grantOf(integrationId, workspaceId), (own: readonly RateLimit[] = general.limits) =>
        limitersOf(own, general, integrationId, workspaceId),
      );
    });

  return (call, { workspaceId }, plan) => {
    if (workspaceId === null) return NONE;
    return after(providersOf(workspaceId), (providers) => {
      if (providers.length === 0) return NONE;
      const slugs = slugsIn(call, plan);
      const reached = slugs.length === 0 ? [] : providers.filter(({ slug }) => slugs.includes(slug));
      if (reached.length === 0) return NONE;
      const grants = all([...new Set(reached.map(({ integrationId }) => integrationId))].map((id) => ofGrant(id, workspaceId)));
      return after(grants, (found) => [...reached.flatMap(({ limiters }) => limiters), ...found.flat()]);
    });
  };
}
const NO_LIMITS: readonly RateLimit[] = [];

const slugsIn = (call: Call, plan: Plan): readonly string[] =>
  reachOf(call, plan).flatMap(({ reference }) => (reference.startsWith("@") ? reference.slice(1) : []));
