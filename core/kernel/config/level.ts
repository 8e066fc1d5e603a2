import { OptionalKind } from "@sinclair/typebox";
import { AWAITED, CONFIG_MEMBERS, DOCUMENTED_CACHE_MODES, type ErrorCode, type ErrorDetails, isJson, type Json } from "#contract";
import { firstProblem } from "../../json/shape.ts";
import type { Claim, Claims, ConfigClaims } from "./claims.ts";

/** One level of a config: the config itself, or one of its targets. */
export interface Level {
  /** `config.targets[0]` */
  readonly at: string;
  readonly is: Json;
  readonly isRoot: boolean;
}

/** Something wrong with a config. */
export interface Finding {
  /** `config.targets[0].cb_config` */
  readonly at: string;
  /** The rest of the sentence that begins with the place. */
  readonly why: string;
  /** Nothing obeys it: a config that was saved with it is served without. */
  readonly idle: boolean;
  readonly code?: ErrorCode;
  readonly details?: ErrorDetails;
}
export const idle = (at: string, why: string): Finding => ({ at, why, idle: true });

export const targetsOf = (level: Json): readonly unknown[] => (Array.isArray(level["targets"]) ? level["targets"] : []);
const strategyOf = (level: Json): Json | undefined => (isJson(level["strategy"]) ? level["strategy"] : undefined);
export const modeOf = (level: Json): string => String(strategyOf(level)?.["mode"] ?? "single");

/** A name that a config gives of something elsewhere, and its place. */
export interface Named {
  readonly at: string;
  readonly name: string;
}

/** Which provider a level names: an id, or the slug of a saved one behind `@`. */
export function* providersNamed({ at, is: { provider, virtual_key: key } }: Level): Generator<Named> {
  if (typeof provider === "string") yield { at: `${at}.provider`, name: provider };
  else if (typeof key === "string") yield { at: `${at}.virtual_key`, name: `@${key.replace(/^@/, "")}` };
}

/** What is wrong with the members of a level whose core members are of their shape. */
export function* memberFindings(level: Level, claims: ConfigClaims): Generator<Finding> {
  yield* saysNothing(level);
  yield* strategyFindings(level, claims);
  yield* olderStatusCodes(level, claims);
  yield* besideTargets(level);
  yield* cacheFindings(level, claims);
  for (const [member, value] of Object.entries(level.is))
    if (!CONFIG_MEMBERS.has(member)) yield* claimedFindings(level, member, value, claims);
}

const SAYS_NOTHING: ReadonlySet<string> = new Set(["name", "weight"]);
function* saysNothing({ at, is }: Level): Generator<Finding> {
  for (const member in is) if (!SAYS_NOTHING.has(member)) return;
  yield idle(at, "says nothing about where to send or what to do");
}

/** Credentials and providers are a target's own: beside targets they reach none of them. */
const OF_A_TARGET = ["provider", "virtual_key", "api_key"] as const;
function* besideTargets({ at, is }: Level): Generator<Finding> {
  if (targetsOf(is).length === 0) return;
  for (const member of OF_A_TARGET)
    if (member in is) yield idle(`${at}.${member}`, "stands beside targets, which do not take it over; write it in each of them");
}

/* ── members that are not the core's ─────────────────────────────────────────────────────────────────────────── */

function* claimedFindings({ at, is }: Level, member: string, value: unknown, claims: ConfigClaims): Generator<Finding> {
  const place = `${at}.${member}`;
  const config = claims.config.get(member);
  const owners = config ? [config] : fieldOwners(member, is, claims);
  if (owners.length === 0) yield idle(place, unclaimed(member, is, claims));
  else if (!config && targetsOf(is).length > 0)
    yield idle(place, "stands beside targets, which do not take it over; write it in each of them");
  else if (!owners.some((owner) => owner.accepts(value))) yield idle(place, mistaken(owners[0], value));
}

/** A field belongs to the provider that is named; where a saved one is, or none, to any. */
function fieldOwners(member: string, { provider }: Json, { providers, fields }: ConfigClaims): readonly Claim[] {
  const own = typeof provider === "string" ? providers.get(provider) : undefined;
  const claim = own?.get(member);
  if (own) return claim ? [claim] : [];
  return fields.get(member) ?? [];
}

function unclaimed(member: string, { provider }: Json, { fields }: ConfigClaims): string {
  if (Object.hasOwn(AWAITED, member)) return nobody(AWAITED[member]);
  const others = fields.get(member) ?? [];
  if (others.length > 0) return `is no field of ${String(provider)}; it is one of ${others.map(({ by }) => by).join(", ")}`;
  return "is no member of a config, nor a field of any enabled provider";
}
const nobody = (would: string | undefined): string =>
  `is obeyed by nothing here${would === undefined ? "" : `; ${would} would obey it, and no enabled plugin provides that`}`;

/** A value that its owner does not take: which it is, and which would be right. */
function mistaken(owner: Claim | undefined, value: unknown): string {
  const { path = ROOT, why = "it is not of the documented shape" } = (owner && firstProblem(owner.schema, value)) ?? {};
  return `is not a value that ${owner?.by} takes: ${path === ROOT ? "" : `at ${path}, `}${why}`;
}
const ROOT = "(root)";

/* ── strategy and cache: members by mode ─────────────────────────────────────────────────────────────────────── */

function* strategyFindings({ at, is }: Level, claims: ConfigClaims): Generator<Finding> {
  const strategy = strategyOf(is);
  if (strategy && targetsOf(is).length === 0) return yield idle(`${at}.strategy`, "needs targets to choose among");
  if (!strategy && targetsOf(is).length === 0) return;
  const mode = modeOf(is);
  const settings = claims.modes.get(mode);
  if (!settings) return yield unknownMode(`${at}.strategy.mode`, mode, claims);
  for (const [member, value] of Object.entries(strategy ?? {})) {
    const claim = settings.get(member) ?? claims.strategy.get(member);
    const place = `${at}.strategy.${member}`;
    if (member === "mode") continue;
    if (!claim) yield idle(place, unclaimedSetting(member, mode, claims));
    else if (!claim.accepts(value)) yield idle(place, mistaken(claim, value));
  }
  yield* missingSettings(`${at}.strategy`, strategy ?? {}, settings);
}

const unknownMode = (at: string, mode: string, { modes }: ConfigClaims): Finding => ({
  at,
  why: "is no mode of an enabled policy",
  idle: false,
  code: "STRATEGY_UNKNOWN",
  details: { mode, modes: [...modes.keys()].join(", ") },
});

function* missingSettings(at: string, strategy: Json, settings: Claims): Generator<Finding> {
  for (const [member, { schema, by }] of settings)
    if (!isOptional(schema) && !(member in strategy)) yield idle(`${at}.${member}`, `is missing; the mode ${by} needs it`);
}

function unclaimedSetting(member: string, mode: string, { modes }: ConfigClaims): string {
  const others = [...modes].filter(([, settings]) => settings.has(member)).map(([other]) => other);
  if (others.length > 0) return `is not obeyed by the mode ${mode}; ${others.join(", ")} would`;
  return nobody(AWAITED[`strategy.${member}`]);
}

/** The older place of a strategy's `on_status_codes`: obeyed where the mode obeys that. */
function* olderStatusCodes({ at, is }: Level, claims: ConfigClaims): Generator<Finding> {
  if (!(OLDER in is)) return;
  const mode = modeOf(is);
  if (targetsOf(is).length === 0) yield idle(`${at}.${OLDER}`, "needs targets to choose among");
  else if (!claims.modes.get(mode)?.has(OLDER)) yield idle(`${at}.${OLDER}`, unclaimedSetting(OLDER, mode, claims));
}
const OLDER = "on_status_codes";

const CACHE_MEMBERS: ReadonlySet<string> = new Set(["mode", "max_age"]);
function* cacheFindings({ at, is }: Level, { cacheModes }: ConfigClaims): Generator<Finding> {
  const cache = isJson(is["cache"]) ? is["cache"] : undefined;
  if (!cache) return;
  const mode = String(cache["mode"]);
  const settings = cacheModes.get(mode);
  if (!settings && !DOCUMENTED_CACHE_MODES.includes(mode)) {
    const modes = [...new Set([...DOCUMENTED_CACHE_MODES, ...cacheModes.keys()])].join(", ");
    yield idle(`${at}.cache.mode`, `is ${mode.slice(0, 64)}, which no cache (kind cache) provides; modes are ${modes}`);
  }
  for (const [member, value] of Object.entries(cache)) {
    const claim = settings?.get(member);
    if (CACHE_MEMBERS.has(member)) continue;
    if (!claim) yield idle(`${at}.cache.${member}`, `is obeyed by no cache of the mode ${mode.slice(0, 64)}`);
    else if (!claim.accepts(value)) yield idle(`${at}.cache.${member}`, mistaken(claim, value));
  }
}

const isOptional = (schema: Claim["schema"]): boolean => OptionalKind in schema;
