import { GatewayError, KINDS, nearest, pluginName } from "#contract";
import { discover, type Unreadable } from "./external.ts";
import type { DeployedPlugin, Found, Stage } from "../life.ts";
import { isOn, judgeFlags } from "../settings/flags.ts";
import { isGuard, parseManifests } from "./manifest.ts";
import { invalid, type PluginEntry, type Profile } from "../settings/profile.ts";
import type { Environment } from "../settings/settings.ts";

/** One row of the generated registry. */
export interface RegistryRow {
  readonly manifest: unknown;
  /** Which part of the manifest's package. */
  readonly part?: number;
  readonly file: string;
  readonly load?: () => Promise<unknown>;
}

export interface Deployment {
  /** In the order they are set up. */
  readonly plugins: readonly DeployedPlugin[];
  readonly unreadable: readonly Unreadable[];
}

/** Without them a gateway would be open, or empty. */
export const REQUIRED_KINDS: ReadonlySet<unknown> = new Set(["storage", "policy"]);

/** All plugins there are, in order, with what the profile and the environment say about each. */
export async function deploymentOf(profile: Profile, registry: readonly RegistryRow[], env: Environment): Promise<Deployment> {
  const external = profile.pluginsDir === null ? { found: [], unreadable: [] } : await discover(profile.pluginsDir);
  const builtIn = registry.map(fromRegistry);
  const { kept, doubled } = withoutDoubles([...builtIn, ...external.found]);
  refuseUnknownNames(profile, kept);
  const plugins = inOrder(kept, profile).map((found) => deployed(found, profile, env));
  return { plugins, unreadable: [...external.unreadable, ...doubled] };
}

function fromRegistry({ manifest: text, part = 0, file, load }: RegistryRow): Found {
  const manifest = parseManifests(text, file)[part];
  if (!manifest) throw new GatewayError("PLUGIN_MANIFEST", { file, path: "parts", why: `there is no part ${part}` });
  return { manifest, origin: "built-in", file, hash: null, ...(load && { load }) };
}

/** The first of a name stays; a second one is reported, naming both. */
function withoutDoubles(found: readonly Found[]): { kept: Found[]; doubled: Unreadable[] } {
  const first = new Map<string, Found>();
  const doubled: Unreadable[] = [];
  for (const plugin of found) {
    const name = pluginName(plugin.manifest);
    const other = first.get(name);
    if (!other) first.set(name, plugin);
    else
      doubled.push({
        origin: plugin.origin,
        error: new GatewayError("PLUGIN_MANIFEST", {
          file: plugin.file,
          path: "id",
          why: `${name} is already the name of ${other.file}; choose another id`,
        }),
      });
  }
  return { kept: [...first.values()], doubled };
}

function refuseUnknownNames(profile: Profile, found: readonly Found[]): void {
  if (profile.builtIn) return; // a binary may hold fewer plugins than the profile it was built from names
  const names = found.map(({ manifest }) => pluginName(manifest));
  for (const [path, named] of [
    ["plugins", Object.keys(profile.plugins)],
    ["order", profile.order],
  ] as const) {
    const unknown = named.find((name) => !names.includes(name));
    if (unknown === undefined) continue;
    const kind = unknown.split("/")[0] ?? "";
    const alike = names.filter((name) => name.startsWith(`${kind}/`));
    const candidates = alike.length > 0 ? `of this kind there are ${alike.join(", ")}` : `the kinds are ${KINDS.join(", ")}`;
    const meant = nearest(unknown, names);
    throw invalid(
      profile.file,
      `${path}.${unknown}`,
      `there is no such plugin; ${meant === undefined ? candidates : `${meant} was probably meant`}`,
    );
  }
}

function inOrder(found: readonly Found[], profile: Profile): Found[] {
  const named = [...new Set([...profile.order, ...Object.keys(profile.plugins)])];
  const rank = ({ manifest }: Found): number => {
    const at = named.indexOf(pluginName(manifest));
    return at < 0 ? named.length : at;
  };
  return [...found].sort((a, b) => KINDS.indexOf(a.manifest.kind) - KINDS.indexOf(b.manifest.kind) || rank(a) - rank(b));
}

function deployed(found: Found, profile: Profile, env: Environment): DeployedPlugin {
  const name = pluginName(found.manifest);
  const entry = profile.plugins[name];
  const named = entry !== undefined || profile.order.includes(name);
  judgeFlags(found.manifest, env);
  const settings = settingsOf(found, env);
  return {
    ...found,
    name,
    named,
    isolate: isolateOf(found, entry, profile),
    required: entry?.required ?? REQUIRED_KINDS.has(found.manifest.kind),
    given: { ...entry?.config, ...Object.fromEntries(Object.entries(settings).map(([member, variable]) => [member, env[variable]])) },
    settings,
    stage: firstStage(whyOff(found, { entry, named }, profile, env)),
  };
}

/** The operator's word goes before the manifest's. */
function isolateOf({ manifest: { kind, entry, isolate } }: Found, given: PluginEntry | undefined, profile: Profile): "none" | "process" {
  if (given?.isolate === "process" && (kind !== "guardrail" || entry === undefined))
    throw invalid(
      profile.file,
      "isolate",
      "only the checks of a guardrail plugin, one with an entry of its own, run in processes of their own",
    );
  return given?.isolate ?? isolate ?? "none";
}

const firstStage = (whyOff: string | null): Stage => (whyOff === null ? { at: "enabled" } : { at: "off", why: whyOff });

/** How the profile mentions a plugin. */
interface ProfileMention {
  readonly entry: PluginEntry | undefined;
  readonly named: boolean;
}
function whyOff(found: Found, { entry, named }: ProfileMention, profile: Profile, env: Environment): string | null {
  if (entry?.enabled === false) return `the profile ${profile.file} disables it`;
  if (!entry && profile.others === "disabled") return `the profile ${profile.file} does not name it`;
  if (!named && isGuard(found.manifest)) return `a policy runs when the profile names it, and ${profile.file} does not`;
  return whyFlaggedOff(found, env);
}

function whyFlaggedOff({ manifest: { flag } }: Found, env: Environment): string | null {
  if (!flag) return null;
  const value = env[flag.env]?.trim() ?? "";
  if (flag.when === "set") return value === "" ? `${flag.env} is not set` : null;
  return isOn(flag.env, env) ? null : `${flag.env} is ${value}`;
}

/** Configuration members that the manifest maps from environment variables; an empty variable counts as not set. */
const settingsOf = ({ manifest }: Found, env: Environment): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(manifest.env ?? {})
      .filter(([variable]) => (env[variable] ?? "").trim() !== "")
      .map(([variable, member]) => [member, variable]),
  );

/** Does an external plugin have the content that the profile pins? Checked before its code is loaded. */
export function checkHash({ name, hash, file }: DeployedPlugin, profile: Profile): void {
  const pinned = profile.plugins[name]?.hash;
  if (pinned === undefined || pinned === hash) return;
  const why =
    hash === null ? "a built-in plugin has no content hash; remove `hash`" : `its content hash is ${hash}, the profile pins ${pinned}`;
  throw new GatewayError("PLUGIN_MANIFEST", { file, path: "hash", why });
}
