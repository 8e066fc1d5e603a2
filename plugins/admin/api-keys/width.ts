import {
  ApiKeys,
  CallerGuardrails,
  CallerRateLimits,
  type RuleInput,
  type Caller,
  expandedScopes,
  GatewayError,
  isJson,
  type KeyGuardrails,
  keyGuardrails,
  type KeyType,
  mayHold,
  type RateLimit,
  type RecordOf,
  type ScopeTable,
  type UsageLimits,
  WINDOW_NAME,
} from "#contract";

/**
 * What a key may do, as far as keys differ in it. Until when it works is no part of it: a key for an hour may make one
 * that stays, but none that may do more at any moment.
 */
export interface Width {
  readonly type: KeyType;
  /** The scopes there are. */
  readonly table: ScopeTable;
  /** What stands for several scopes, and these beside it. */
  readonly scopes: ReadonlySet<string>;
  readonly rateLimits: readonly RateLimit[];
  readonly budget: UsageLimits | null;
  /** The only config it may use; absent where requests may bring their own. */
  readonly pin?: { readonly config: string | null };
  /** Labels of every request it makes: policies are written for them. */
  readonly metadata: Caller["metadata"];
  /** What judges every request it makes. */
  readonly guardrails: KeyGuardrails;
}
/** In what a key is wider than another, as the end of a sentence. */
export interface Excess {
  readonly why: string;
  readonly param: string;
}
type Measured = Pick<RecordOf<typeof ApiKeys>, "type" | "scopes" | "rate_limits" | "usage_limits" | "defaults">;

export const widthOf = ({ type, scopes, rate_limits, usage_limits, defaults }: Measured, table: ScopeTable): Width => ({
  type,
  table,
  scopes: expandedScopes(scopes, type, table),
  rateLimits: rate_limits,
  budget: usage_limits,
  metadata: labelsIn(defaults),
  guardrails: keyGuardrails(defaults),
  ...(defaults["allow_config_override"] === false && {
    pin: { config: typeof defaults["config_id"] === "string" ? defaults["config_id"] : null },
  }),
});

const labelsIn = ({ metadata }: Measured["defaults"]): Width["metadata"] => (isJson(metadata) ? (metadata as Width["metadata"]) : {}); // of texts: the schema of keys lets nothing else in

/** The caller's own: as identified, with the budget of its record when it is a key. */
export async function widthOfCaller({ caller, records, catalog }: Pick<RuleInput, "caller" | "records" | "catalog">): Promise<Width> {
  const record = await records.in(ApiKeys).get(caller.keyId);
  const { keyType, scopes, allowConfigOverride, configId, metadata }: Caller = caller;
  return {
    type: keyType,
    table: catalog.scopes(),
    scopes,
    rateLimits: CallerRateLimits.of(caller),
    budget: record?.usage_limits ?? null,
    metadata,
    guardrails: CallerGuardrails.of(caller),
    ...(!allowConfigOverride && { pin: { config: configId } }),
  };
}

/** The first thing in which `key` may do more than `maker`; scopes that the maker's kind of key can never hold do not count. */
export const excess = (key: Width, maker: Width): Excess | undefined =>
  scopeExcess(key, maker) ??
  rateExcess(key, maker) ??
  budgetExcess(key.budget, maker.budget) ??
  pinExcess(key, maker) ??
  labelExcess(key, maker) ??
  guardrailExcess(key, maker);

/** Throws when `key` is wider than the maker; `deed` says what was attempted. */
export function refuseWider(deed: string, key: Width, maker: Width): void {
  const found = excess(key, maker);
  if (found) throw new GatewayError("KEY_TOO_WIDE", { deed, why: found.why }, { param: found.param });
}

function scopeExcess(key: Width, maker: Width): Excess | undefined {
  const more = [...key.scopes].find((scope) => mayHold(maker.type, scope, maker.table) && !maker.scopes.has(scope));
  return more === undefined ? undefined : { why: `it holds the scope ${more}, which yours does not`, param: "scopes" };
}

function rateExcess({ rateLimits }: Width, maker: Width): Excess | undefined {
  for (const { type, unit, value } of maker.rateLimits) {
    const own = lowest(rateLimits, type, unit);
    if (own > value) {
      const rate = Number.isFinite(own)
        ? `its limit of ${own} ${type} per ${WINDOW_NAME[unit]}`
        : `having no limit of ${type} per ${WINDOW_NAME[unit]}`;
      return { why: `${rate} is above yours of ${value}`, param: "rate_limits" };
    }
  }
  return undefined;
}
const lowest = (limits: readonly RateLimit[], type: RateLimit["type"], unit: RateLimit["unit"]): number =>
  Math.min(...limits.filter((limit) => limit.type === type && limit.unit === unit).map(({ value }) => value));

function budgetExcess(key: UsageLimits | null, maker: UsageLimits | null): Excess | undefined {
  const most = maker?.credit_limit ?? null;
  if (maker === null || most === null) return undefined;
  const excess = (why: string): Excess => ({ why, param: "usage_limits" });
  const own = key?.credit_limit ?? null;
  if (key === null || own === null) return excess(`having no budget is above yours of ${most} ${unitOf(maker)}`);
  if (unitOf(key) !== unitOf(maker)) return excess(`its budget counts ${unitOf(key)}, yours ${unitOf(maker)}`);
  if (own > most) return excess(`its budget of ${own} ${unitOf(key)} is above yours of ${most}`);
  return resetsMoreOften(key, maker) ? excess("its budget is reset more often than yours") : undefined;
}
const unitOf = ({ type }: UsageLimits): string => (type === "tokens" ? "tokens" : "dollars");

const resetsMoreOften = (key: UsageLimits, maker: UsageLimits): boolean =>
  resetDays(key, 28) < resetDays(maker, key.periodic_reset === maker.periodic_reset ? 28 : 31);
/** Days between two resets; months differ. */
function resetDays({ periodic_reset: period, periodic_reset_days: days }: UsageLimits, month: number): number {
  if (period) return period === "weekly" ? 7 : month;
  return days ?? Number.POSITIVE_INFINITY;
}

function pinExcess({ pin }: Width, maker: Width): Excess | undefined {
  if (!maker.pin) return undefined;
  const { config } = maker.pin;
  const only = config === null ? "no config" : `the config ${config}`;
  return pin?.config === config ? undefined : { why: `yours may use ${only} and nothing else`, param: "defaults" };
}

function labelExcess({ metadata }: Width, maker: Width): Excess | undefined {
  const other = Object.keys(maker.metadata).find((name) => !Object.hasOwn(metadata, name) || metadata[name] !== maker.metadata[name]);
  if (other === undefined) return undefined;
  return { why: `its metadata does not say ${other}=${maker.metadata[other]}, as yours does`, param: "defaults" };
}

function guardrailExcess({ guardrails: { input, output } }: Width, { guardrails: maker }: Width): Excess | undefined {
  const missing = maker.input.find((slug) => !input.includes(slug)) ?? maker.output.find((slug) => !output.includes(slug));
  return missing === undefined ? undefined : { why: `the guardrail ${missing} does not judge it, as it judges yours`, param: "defaults" };
}

/** What a key's maker is bound to and the body left open: taken over, so that the key is no wider. */
export function boundToo<T extends Partial<Measured>>(settings: T, maker: Width): T {
  const { rate_limits, usage_limits, defaults } = settings;
  return {
    ...settings,
    ...(rate_limits && { rate_limits: [...rate_limits, ...missing(rate_limits, maker.rateLimits)] }),
    ...(usage_limits !== undefined && { usage_limits: budgetOr(usage_limits, maker.budget) }),
    ...(defaults && { defaults: { ...(maker.pin && pinned(maker.pin)), ...labelled(defaults, maker), ...guarded(defaults, maker) } }),
  };
}
const labelled = (defaults: Measured["defaults"], { metadata }: Width): Measured["defaults"] =>
  Object.keys(metadata).length === 0 ? defaults : { ...defaults, metadata: { ...metadata, ...labelsIn(defaults) } };
function guarded(defaults: Measured["defaults"], { guardrails: { input, output } }: Width): Measured["defaults"] {
  const own = keyGuardrails(defaults);
  const both = (mine: readonly string[], makers: readonly string[]): readonly string[] => [...new Set([...mine, ...makers])];
  return {
    ...(input.length > 0 && { input_guardrails: both(own.input, input) }),
    ...(output.length > 0 && { output_guardrails: both(own.output, output) }),
  };
}
const missing = (limits: readonly RateLimit[], bounds: readonly RateLimit[]): readonly RateLimit[] =>
  bounds.filter(({ type, unit }) => !limits.some((limit) => limit.type === type && limit.unit === unit));
const budgetOr = (own: UsageLimits | null, bound: UsageLimits | null): UsageLimits | null =>
  own?.credit_limit === undefined || own.credit_limit === null ? ((bound?.credit_limit ?? null) === null ? own : bound) : own;
const pinned = ({ config }: NonNullable<Width["pin"]>) => ({
  allow_config_override: false,
  ...(config !== null && { config_id: config }),
});
