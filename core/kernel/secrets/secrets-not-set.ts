import { type DeployedPlugin, isEnabled } from "../life.ts";
import { lackOf, secretsWanted } from "./missing-secrets.ts";
import type { Profile } from "../settings/profile.ts";
import { nothingAt, placeOf, schemeOf, unreadable } from "./secrets.ts";
import type { Environment } from "../settings/settings.ts";

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
  const known = sources.map(({ manifest }) => manifest.id); // those of this build are called by what they read
  if (!known.includes(scheme) && sources.every(({ origin }) => origin === "built-in")) return unreadable(place, known);
  if (scheme !== "env") return undefined;
  return (env[place.slice(place.indexOf(":") + 1)] ?? "").trim() === "" ? nothingAt(place) : undefined;
}
