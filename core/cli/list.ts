import { GatewayError } from "#contract";
import { registry } from "../generated/registry.ts";
import { type Deployment, deploymentOf } from "../kernel/discovery/deployment.ts";
import { type DeployedPlugin, isEnabled } from "../kernel/life.ts";
import { judgeFiles } from "../kernel/load.ts";
import { type Profile, readProfile } from "../kernel/settings/profile.ts";
import { secretsNotSet } from "../kernel/secrets/missing-secrets.ts";
import type { Settings } from "../kernel/settings/settings.ts";
import { readOptions } from "./options.ts";

/** `gateway list`: what is in this build and in the plugins folder. Runs no code of any plugin. */
export async function list(args: readonly string[]): Promise<number> {
  const { settings, json } = readOptions("list", args);
  const profile = await readProfile(settings.profile, settings.env);
  const { plugins, unreadable } = await deploymentOf(profile, registry, settings.env);
  const rows = plugins.map((deployed) => rowOf(deployed, { plugins, profile, settings }));
  const broken = unreadable.map(({ origin, error }) => ({ origin, code: error.code, why: error.message }));
  console.log(json ? JSON.stringify({ profile: profile.file, plugins: rows, unreadable: broken }, null, 2) : table(rows));
  if (!json) for (const { origin, why } of broken) console.error(`not readable: ${origin}: ${why}`);
  if (!json) console.error("No plugin was run. What only running shows (configuration, set-up) is told by: gateway check");
  return broken.length > 0 || rows.some(({ state }) => state === "failed") ? 1 : 0;
}

interface Listing extends Pick<Deployment, "plugins"> {
  readonly profile: Profile;
  readonly settings: Settings;
}
type State = "enabled" | "disabled" | "failed";

function rowOf(deployed: DeployedPlugin, { plugins, profile, settings }: Listing) {
  const { name, required, isolate, origin, hash, manifest, stage } = deployed;
  const failure = isEnabled(deployed) ? failureOf(deployed, profile, plugins) : null;
  const state: State = failure !== null ? "failed" : stage.at === "off" ? "disabled" : "enabled";
  return {
    name,
    state,
    version: manifest.version,
    title: manifest.title,
    required,
    isolate,
    needs: manifest.needs ?? [],
    why: stage.at === "off" ? stage.why : failure,
    missing: secretsNotSet(deployed, plugins, profile, settings.env),
    origin,
    ...(hash !== null && { hash }),
  };
}
type Listed = ReturnType<typeof rowOf>;

/** What is wrong with its files; what only running it would show is told by `gateway check`. */
function failureOf(deployed: DeployedPlugin, profile: Profile, plugins: readonly DeployedPlugin[]): string | null {
  try {
    judgeFiles(deployed, profile, plugins);
    return null;
  } catch (thrown) {
    if (GatewayError.is(thrown)) return thrown.message;
    throw thrown;
  }
}

const COLUMNS = ["PLUGIN", "STATE", "RUNS IN", "VERSION", "NEEDS", "WHY OFF, OR WHAT IS WRONG OR MISSING"] as const;
function table(rows: readonly Listed[]): string {
  const cells = rows.map(({ name, state, isolate, version, needs, why, missing }) => [
    name,
    state,
    isolate === "process" ? "processes of its own" : "the gateway",
    version,
    kindsOf(needs),
    why ?? missing.join(" "),
  ]);
  const widths = COLUMNS.map((title, column) => Math.max(title.length, ...cells.map((line) => line[column]?.length ?? 0)));
  const lineOf = (line: readonly string[]): string =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd();
  return [COLUMNS, ...cells].map(lineOf).join("\n");
}

/** `net 3, secret 1`: which hosts and secrets these are is in `--json` and in the manifest. */
function kindsOf(needs: readonly string[]): string {
  const kinds = Map.groupBy(needs, (need) => need.split(":")[0] ?? need);
  return [...kinds].map(([kind, named]) => (named.some((need) => need.includes(":")) ? `${kind} ${named.length}` : kind)).join(", ") || "-";
}
