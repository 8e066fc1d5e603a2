import { type Kind, type Manifest, pluginName } from "#contract";
import { type DeployedPlugin, isEnabled, isUp } from "../life.ts";
import type { Profile } from "../settings/profile.ts";
import type { Environment } from "../settings/settings.ts";
import { nothingAt, placeOf, schemeOf, type SecretParts, secretsFor, unreadable } from "./secrets.ts";

/** Secrets that plugins asked for and did not get, as they were last looked for. */
export interface MissingSecrets {
  found(plugin: string, secret: string): void;
  /** Says whether that is news. */
  lost(plugin: string, secret: string, why: string): boolean;
  /** What the plugin lacks, as sentences. */
  of(manifest: Manifest): readonly string[];
}

export function missingSecrets(): MissingSecrets {
  const byPlugin = new Map<string, Map<string, string>>();
  return {
    found: (plugin, secret) => void byPlugin.get(plugin)?.delete(secret),
    lost(plugin, secret, why) {
      const lacks = byPlugin.get(plugin) ?? new Map<string, string>();
      byPlugin.set(plugin, lacks);
      const isNews = lacks.get(secret) !== why;
      lacks.set(secret, why);
      return isNews;
    },
    of: (manifest) => [...(byPlugin.get(pluginName(manifest)) ?? [])].map(([secret, why]) => lackOf(manifest.kind, secret, why)),
  };
}

/** What follows from it, by the kind of what lacks it. */
const SO: { readonly [K in Kind]?: string } = {
  guardrail: " Until then its checks cannot judge, and a guardrail that denies stays shut.",
  exporter: " Until then nothing reaches it.",
};
const lackOf = (kind: Kind, secret: string, why: string): string => `The secret ${secret} is missing: ${why}.${SO[kind] ?? ""}`;

/** A provider's own secrets are one way among others to ask it, and so are those of checks whose tenants keep accounts; whatever else names one cannot work without. */
const secretsWanted = ({ kind, needs = [] }: Manifest): readonly string[] =>
  kind === "provider" || needs.includes("credentials")
    ? []
    : needs.filter((need) => need.startsWith("secret:")).map((need) => need.slice("secret:".length));

/** Looks for every secret that a running plugin needs, before a request does: what is missing is remembered and said. */
export async function lookForSecrets(plugins: readonly DeployedPlugin[], parts: SecretParts): Promise<void> {
  const wanted = plugins.filter(isUp).flatMap(({ manifest }) => secretsWanted(manifest).map((name) => ({ manifest, name })));
  const looks = wanted.map(({ manifest, name }) => secretsFor(pluginName(manifest), new Set([name]), parts).read(name));
  await Promise.allSettled(looks);
}

const AGAIN_MS = 2_000;
/** Looks again when somebody asks how plugins are doing; at most every two seconds, and without being waited for. */
export function lookingAgain(plugins: readonly DeployedPlugin[], parts: SecretParts, now: () => number): () => void {
  let lookedAt = now();
  return () => {
    const lacking = plugins.filter(({ manifest }) => parts.missing.of(manifest).length > 0);
    if (lacking.length === 0 || now() - lookedAt < AGAIN_MS) return;
    lookedAt = now();
    void lookForSecrets(lacking, parts);
  };
}

/** What an enabled plugin lacks, as far as it can be told without running any plugin's code. */
export function secretsNotSet(
  deployed: DeployedPlugin,
  all: readonly DeployedPlugin[],
  { secrets }: Pick<Profile, "secrets">,
  env: Environment,
): readonly string[] {
  if (!isEnabled(deployed)) return [];
  const { manifest } = deployed;
  const sources = all.filter((other) => isEnabled(other) && other.manifest.kind === "secret");
  return secretsWanted(manifest).flatMap((name) => {
    const why = whyNotSet(placeOf(name, secrets), sources, env);
    return why === undefined ? [] : [lackOf(manifest.kind, name, why)];
  });
}

function whyNotSet(place: string, sources: readonly DeployedPlugin[], env: Environment): string | undefined {
  const scheme = schemeOf(place);
  const ids = sources.map(({ manifest }) => manifest.id); // those of this build are called by what they read
  if (!ids.includes(scheme) && sources.every(({ origin }) => origin === "built-in")) return unreadable(place, ids);
  if (scheme !== "env") return undefined;
  return (env[place.slice(place.indexOf(":") + 1)] ?? "").trim() === "" ? nothingAt(place) : undefined;
}
