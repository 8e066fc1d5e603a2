import semver from "semver";
import { CONTRACT_VERSION, GatewayError, Manifest, pluginName } from "#contract";
import { firstProblem } from "../json/shape.ts";

/** Judges a `manifest.json`. `file` is where it stands, for the error. */
export function parseManifest(value: unknown, file: string): Manifest {
  const problem = firstProblem(Manifest, value);
  if (problem) throw new GatewayError("PLUGIN_MANIFEST", { file, ...problem });
  const manifest = value as Manifest; // the schema has accepted it
  const inconsistency = INCONSISTENCIES.find((rule) => rule.when(manifest));
  if (inconsistency) throw new GatewayError("PLUGIN_MANIFEST", { file, path: inconsistency.path, why: inconsistency.why });
  return manifest;
}

/** What the schema cannot say. */
const INCONSISTENCIES: readonly { path: string; why: string; when(manifest: Manifest): boolean }[] = [
  {
    path: "entry",
    why: "there must be an `entry` (code) or `extends` with `declare` (data for an interpreter)",
    when: (m) => !m.entry && !m.extends,
  },
  {
    path: "declare",
    why: "`extends` names an interpreter, so `declare` must hold its data",
    when: (m) => !m.entry && m.extends !== undefined && m.declare === undefined,
  },
  {
    path: "entry",
    why: "the module must lie inside the plugin's own folder",
    when: (m) => m.entry !== undefined && /^(\/|[A-Za-z]:|.*\.\.([/\\]|$))/.test(m.entry),
  },
  { path: "contract", why: "it is no semver range; write for example ^1.0.0", when: (m) => semver.validRange(m.contract) === null },
  { path: "version", why: "it is no semver version; write for example 1.0.0", when: (m) => semver.valid(m.version) === null },
  {
    path: "isolate",
    why: "this gateway runs plugins in its own process only; remove `isolate`, or run the plugin as a remote service",
    when: (m) => m.isolate === "worker",
  },
];

/** Was the plugin made for this contract? */
export function checkContract(manifest: Manifest): void {
  if (semver.satisfies(CONTRACT_VERSION, manifest.contract)) return;
  throw new GatewayError("PLUGIN_CONTRACT", { plugin: pluginName(manifest), range: manifest.contract, version: CONTRACT_VERSION });
}
