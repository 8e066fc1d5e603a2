import { Type } from "@sinclair/typebox";
import { LRUCache } from "lru-cache";
import {
  ApiKeys,
  type Caller,
  CallerGuardrails,
  CallerRateLimits,
  after,
  definePlugin,
  expandedScopes,
  GatewayError,
  hasKeyForm,
  isJson,
  keyGuardrails,
  type RecordOf,
  type ScopeTable,
} from "#contract";

/** Who a key belongs to, made once per record. */
interface PreparedKey {
  readonly caller: Caller;
  readonly expired: boolean;
  readonly expiresAt: number;
}

/** Identifies callers by their gateway key: its keyed hash is looked up, never the key, so a stored hash opens nothing. */
export default definePlugin({
  kind: "policy",
  config: Type.Object(
    {
      apiAccess: Type.Boolean({
        default: true,
        description: "OFF closes the control and admin planes to gateway keys (403), whatever their scopes. The data plane goes on.",
      }),
    },
    { additionalProperties: false },
  ),
  needs: ["records", "vault", "catalog"],
  collections: [ApiKeys],
  setup({ records, vault, catalog }, { apiAccess }) {
    const prepared = (record: RecordOf<typeof ApiKeys>) => preparedKey(record, catalog.scopes(), apiAccess ? {} : DATA_PLANE_ONLY);
    const find = records.lookup(ApiKeys, ["digest"], prepared);
    const findReplaced = records.lookup(ApiKeys, ["previous_digest"], (record) => replaced(prepared(record), record));
    const digestOf = remembered(vault.digest);
    const callerOf = (current: PreparedKey | undefined, digest: string, now: number) =>
      current ? inTime(current, now) : after(findReplaced(digest), (before) => inTime(before, now));
    return {
      provides: {
        identify({ key, now }) {
          if (!hasKeyForm(key)) return undefined;
          const digest = digestOf(key);
          const found = find(digest);
          return found instanceof Promise ? found.then((late) => callerOf(late, digest, now)) : callerOf(found, digest, now);
        },
      },
    };
  },
});

/** A key that is rotated because its secret got out keeps the new one from who has the old. */
const ROTATING = /_api_keys\.rotate$/;
/** The secret before the key's own works until the transition is over: by the clock, whether or not somebody wrote that down. */
const replaced = (key: PreparedKey, { key_transition_expires_at: until }: RecordOf<typeof ApiKeys>): PreparedKey => ({
  ...key,
  caller: Object.freeze({ ...key.caller, scopes: new Set([...key.caller.scopes].filter((scope) => !ROTATING.test(scope))) }),
  expiresAt: Math.min(key.expiresAt, until ?? 0),
});

const DATA_PLANE_ONLY = { dataPlaneOnly: "API access is switched off in this deployment (API_ACCESS_ENABLED)" } as const;

const MAX_DIGESTS = 4_096;
/** The digests of the keys that are in use; a key that is guessed pushes out the one that was not used for longest, and costs it one digest. */
function remembered(digest: (key: string) => string): (key: string) => string {
  const digests = new LRUCache<string, string>({ max: MAX_DIGESTS });
  return (key) => {
    const before = digests.get(key);
    if (before !== undefined) return before;
    const made = digest(key);
    digests.set(key, made);
    return made;
  };
}

function inTime(found: PreparedKey | undefined, now: number): Caller {
  if (found === undefined) throw new GatewayError("KEY_UNKNOWN");
  if (found.expired || found.expiresAt <= now) throw new GatewayError("KEY_EXPIRED");
  return found.caller;
}

const preparedKey = (record: RecordOf<typeof ApiKeys>, table: ScopeTable, access: Pick<Caller, "dataPlaneOnly">): PreparedKey => ({
  expired: record.status === "expired",
  expiresAt: record.expires_at ?? Number.POSITIVE_INFINITY,
  caller: Object.freeze({
    organisationId: record.organisation_id,
    workspaceId: record.workspace_id,
    keyId: record.id,
    keyName: record.name,
    keyType: record.type,
    userId: record.user_id,
    scopes: expandedScopes(record.scopes, record.type, table),
    ...access,
    metadata: strings(record.defaults["metadata"]),
    configId: typeof record.defaults["config_id"] === "string" ? record.defaults["config_id"] : null,
    allowConfigOverride: record.defaults["allow_config_override"] !== false,
    terms: { ...CallerRateLimits.saying(record.rate_limits), ...CallerGuardrails.saying(keyGuardrails(record.defaults)) },
  }),
});

const strings = (value: unknown): Readonly<Record<string, string>> =>
  Object.freeze(
    Object.fromEntries(
      Object.entries(isJson(value) ? value : {}).filter((entry): entry is [string, string] => typeof entry[1] === "string"),
    ),
  );
