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
import { slugsReached } from "./reach.ts";

/** What is looked up for them. */
export const PROVIDER_COLLECTIONS = [Providers, Integrations, IntegrationWorkspaces] as const;

/** Limits of where a request may go to. */
export type PlaceLimiters = (call: Call, caller: Caller, plan: Plan) => MaybePromise<readonly Limiter[]>;

const NONE: readonly Limiter[] = [];
const NO_LIMITS: readonly RateLimit[] = [];
type Records = Pick<RecordsHandle, "lookup" | "lookupAll">;

/**
 * Of the saved providers that a request may go to: a provider's own, and that of the grant by which its workspace may use
 * the integration. All that it may go to count, as in policies: wherever the request ends up, it was counted there.
 */
export function ofProviders(records: Records): PlaceLimiters {
  const savedIn = savedProviders(records);
  const ofGrant = grantLimiters(records);
  const reached = (saved: readonly Saved[], call: Call, workspaceId: string, plan: Plan): MaybePromise<readonly Limiter[]> => {
    if (saved.length === 0) return NONE;
    const lists: MaybePromise<readonly Limiter[]>[] = [];
    const known = bySlug(saved);
    for (const slug of slugsReached(call, plan)) {
      const found = known.get(slug);
      if (found) lists.push(found.limiters, ofGrant(found.integrationId, workspaceId));
    }
    return lists.length === 0 ? NONE : after(all(lists), together);
  };
  return (call, { workspaceId }, plan) => {
    if (workspaceId === null) return NONE;
    const saved = savedIn(workspaceId);
    return saved instanceof Promise
      ? savedLate(saved, (list) => reached(list, call, workspaceId, plan))
      : reached(saved, call, workspaceId, plan);
  };
}
/** Apart from the other way, so that what is warm makes nothing for it. */
const savedLate = async (saved: Promise<readonly Saved[]>, of: (saved: readonly Saved[]) => MaybePromise<readonly Limiter[]>) =>
  of(await saved);

/** Providers of one integration share its grant's list: that counts once. */
function together(lists: readonly (readonly Limiter[])[]): readonly Limiter[] {
  const [first = NONE, ...more] = new Set(lists.filter(({ length }) => length > 0));
  return more.length === 0 ? first : [first, ...more].flat();
}

/* ── of a provider itself ────────────────────────────────────────────────────────────────────────────────────── */

interface Saved {
  readonly slug: string;
  readonly integrationId: string;
  readonly limiters: readonly Limiter[];
}
const savedProviders = (records: Records): ((workspaceId: string) => MaybePromise<readonly Saved[]>) =>
  records.lookupAll(Providers, ["workspace_id"], {}, ({ id, slug, organisation_id, integration_id: integrationId, rate_limits }) => ({
    slug,
    integrationId,
    limiters: lowestOf(rate_limits, slug, `rl:${organisation_id}:provider:${id}`),
  }));

const indexes = new WeakMap<readonly Saved[], ReadonlyMap<string, Saved>>();
/** Made once for each list that was read. */
function bySlug(saved: readonly Saved[]): ReadonlyMap<string, Saved> {
  const known = indexes.get(saved) ?? new Map(saved.map((one) => [one.slug, one]));
  indexes.set(saved, known);
  return known;
}

/* ── of its integration's grant ──────────────────────────────────────────────────────────────────────────────── */

/** What counts for workspaces of which nothing is said in particular. */
interface General {
  readonly organisation_id: string;
  readonly slug: string;
  readonly limits: readonly RateLimit[];
}
type GrantLimiters = (integrationId: string, workspaceId: string) => MaybePromise<readonly Limiter[]>;

function grantLimiters(records: Records): GrantLimiters {
  const ownOf = records.lookup(IntegrationWorkspaces, ["integration_id", "workspace_id"], ({ rate_limits }) => rate_limits ?? NO_LIMITS);
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
  const limitersOf = (general: General | undefined, own: readonly RateLimit[] | undefined, id: string, workspaceId: string) => {
    const limits = own ?? general?.limits ?? NO_LIMITS;
    if (!general || limits.length === 0) return NONE;
    const known = made.get(limits) ?? new Map<string, readonly Limiter[]>();
    made.set(limits, known);
    const found = known.get(workspaceId) ?? lowestOf(limits, general.slug, `rl:${general.organisation_id}:grant:${id}:${workspaceId}`);
    known.set(workspaceId, found);
    return found;
  };
  type Late<T> = MaybePromise<T | undefined>;
  const late = async (general: Late<General>, own: Late<readonly RateLimit[]>, id: string, workspaceId: string) =>
    limitersOf(await general, await own, id, workspaceId);
  return (id, workspaceId) => {
    const general = generalOf(id);
    const own = ownOf(id, workspaceId);
    return general instanceof Promise || own instanceof Promise
      ? late(general, own, id, workspaceId)
      : limitersOf(general, own, id, workspaceId);
  };
}
