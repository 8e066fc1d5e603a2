import { registry } from "../generated/registry.ts";
import { type Candidate, candidatesFor } from "../kernel/candidates.ts";
import { readProfile } from "../kernel/profile.ts";
import { secretsNotSet } from "../kernel/secrets-not-set.ts";
import { readOptions } from "./options.ts";

/** `gateway list`: what is in this build and in the plugins folder. Runs no code of any plugin. */
export async function list(args: readonly string[]): Promise<number> {
  const { settings, json } = readOptions(args);
  const profile = await readProfile(settings.profile, settings.env);
  const { plugins, unreadable } = await candidatesFor(profile, registry, settings.env);
  const rows = plugins.map((candidate) => rowOf(candidate, secretsNotSet(candidate, plugins, profile, settings.env)));
  const broken = unreadable.map(({ origin, error }) => ({ origin, code: error.code, why: error.message }));
  console.log(json ? JSON.stringify({ profile: profile.file, plugins: rows, unreadable: broken }, null, 2) : table(rows));
  if (!json) for (const { origin, why } of broken) console.error(`not readable: ${origin}: ${why}`);
  return broken.length > 0 ? 1 : 0;
}

const rowOf = ({ name, enabled, why, required, origin, hash, manifest }: Candidate, missing: readonly string[]) => ({
  name,
  state: enabled ? "enabled" : "disabled",
  version: manifest.version,
  title: manifest.title,
  required,
  needs: manifest.needs ?? [],
  why,
  missing,
  origin,
  ...(hash !== null && { hash }),
});

function table(rows: readonly ReturnType<typeof rowOf>[]): string {
  const lines = [
    ["PLUGIN", "STATE", "VERSION", "NEEDS", "WHY OFF, OR WHAT IS MISSING"],
    ...rows.map(({ name, state, version, needs, why, missing }) => [
      name,
      state,
      version,
      needs.join(" ") || "-",
      why ?? missing.join(" "),
    ]),
  ];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}
