import { GatewayError, type Manifest, nearest } from "#contract";
import { isFlag, unreadFlags, UNREAD } from "./flags.ts";
import { problemsOfVariables } from "../load.ts";
import type { Profile } from "./profile.ts";
import { type Environment, INTERNAL, SETTINGS, type SettingRow } from "./settings.ts";
import { type DeployedPlugin, STEP_LIMITS } from "../life.ts";

/** What an operator is told about a variable that is set and does nothing. */
export interface Unread {
  readonly variable: string;
  readonly why: string;
}
/** The environment, judged before anything is opened. */
export interface JudgedVariables {
  /** Nothing can be started with these. */
  readonly errors: readonly GatewayError[];
  readonly unread: readonly Unread[];
}

/**
 * Judges every variable of ours that the environment sets: is there one of that name, and can its value be read, also by
 * plugins that are off? Whoever set one expects something of it.
 */
export async function judgeVariables(plugins: readonly DeployedPlugin[], profile: Profile, env: Environment): Promise<JudgedVariables> {
  const manifests = plugins.map(({ manifest }) => manifest);
  const names = knownVariables(manifests, profile);
  const unknown = Object.keys(env).filter((name) => isSet(env, name) && !names.has(name) && !isServiceLink(name, env[name] ?? ""));
  const meant = new Map(unknown.flatMap((name) => meantBy(name, names).map((other) => [name, other] as const)));
  const misspelt = [...meant].map(([name, other]) => misspeltAs(name, other, env));
  const strays = unknown.filter((name) => isStray(name) && !meant.has(name)).map(stray);
  const errors = [...misspelt, ...(await problemsOfVariables(plugins, STEP_LIMITS))];
  return { errors: withoutDoubles(errors), unread: [...flags(manifests, profile, env), ...strays] };
}

const isSet = (env: Environment, name: string): boolean => (env[name] ?? "").trim() !== "";
/** One sentence for each variable, however many plugins read it. */
const withoutDoubles = (errors: readonly GatewayError[]): readonly GatewayError[] => [
  ...new Map(errors.map((error) => [error.details["name"] ?? error.message, error])).values(),
];

/* ── which there are ─────────────────────────────────────────────────────────────────────────────────────────── */

/** Those of the settings, of every manifest (also of plugins that are off), and those that the profile itself names. */
export function knownVariables(manifests: readonly Manifest[], profile: Pick<Profile, "variables" | "secrets">): ReadonlySet<string> {
  return new Set([
    ...Object.values<SettingRow>(SETTINGS).flatMap(({ env, also = [] }) => [env, ...also]),
    ...manifests.flatMap(({ flag, env = {}, needs = [] }) => [...(flag ? [flag.env] : []), ...Object.keys(env), ...secretsAmong(needs)]),
    ...Object.values(profile.secrets).map((place) => place.slice(place.indexOf(":") + 1)),
    ...(profile.variables ?? []),
  ]);
}
const secretsAmong = (needs: readonly string[]): string[] =>
  needs.filter((need) => need.startsWith("secret:")).map((need) => need.slice("secret:".length));

/** Begins every name that is ours alone. */
const OURS = "GATEWAY_";
const isOurs = (name: string): boolean => name.startsWith(OURS) && !name.startsWith(INTERNAL);

/** Container platforms tell each container where its neighbours are: a service called `gateway` sets these for all. */
function isServiceLink(name: string, value: string): boolean {
  if (/_SERVICE_(HOST|PORT(_[A-Z0-9_]+)?)$|_PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?$/.test(name)) return true;
  return name.endsWith("_PORT") && /^(tcp|udp|sctp):\/\//.test(value);
}

/* ── which there are not ─────────────────────────────────────────────────────────────────────────────────────── */

/** The known variable that was probably meant, if there is one; in lower case it is none either. */
function meantBy(name: string, names: ReadonlySet<string>): readonly string[] {
  if (name.startsWith(INTERNAL)) return [];
  const meant = nearest(name, [...names].filter(isOurs));
  return meant === undefined ? [] : [meant];
}
function misspeltAs(name: string, meant: string, env: Environment): GatewayError {
  const secret = Object.values<SettingRow>(SETTINGS).some((row) => row.env === meant && row.secret);
  const value = secret ? "***" : (env[name] ?? "").slice(0, 60);
  return new GatewayError("SETTING_INVALID", { name, value, why: `there is no such variable; ${meant} was probably meant` });
}

/** Warned of; a flag is warned of as one. */
const isStray = (name: string): boolean => isOurs(name) && !isFlag(name) && !OF_COMMANDS.has(name);
/** Read by a command alone: a shell that runs it may have it set for all of them. */
const OF_COMMANDS: ReadonlySet<string> = new Set(["GATEWAY_KEY"]);
const stray = (variable: string): Unread => ({ variable, why: "nothing of this deployment reads a variable of that name" });
const flags = (manifests: readonly Manifest[], profile: Profile, env: Environment): readonly Unread[] =>
  unreadFlags(env, manifests, profile.variables ?? new Set()).map((variable) => ({ variable, why: UNREAD }));
