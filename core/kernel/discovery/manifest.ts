import type { TSchema } from "@sinclair/typebox";
import semver from "semver";
import { CONTRACT_VERSION, GatewayError, isJson, isScope, Manifest, PackageManifest, pluginName, scopesIn } from "#contract";
import { firstProblem } from "../../json/shape.ts";

/** The plugins of a `manifest.json`: one, or one for each part of a package. `file` is where it stands, for the error. */
export function parseManifests(value: unknown, file: string): readonly Manifest[] {
  if (!isJson(value) || value["parts"] === undefined) return [parseManifest(value, file)];
  judge(PackageManifest, value, file);
  const { parts, ...shared } = value as PackageManifest; // the schema has accepted it
  return parts.map((part) => parseManifest({ ...shared, ...part }, file));
}

/** Judges the manifest of one plugin. */
export function parseManifest(value: unknown, file: string): Manifest {
  judge(Manifest, value, file);
  const manifest = value as Manifest; // the schema has accepted it
  const inconsistency = INCONSISTENCIES.find((rule) => rule.when(manifest));
  if (inconsistency) throw new GatewayError("PLUGIN_MANIFEST", { file, path: inconsistency.path, why: inconsistency.why });
  return manifest;
}

function judge(schema: TSchema, value: unknown, file: string): void {
  const problem = firstProblem(schema, value);
  if (!problem) return;
  const { path, why } = problem;
  const right = WHAT_IS_RIGHT[path.replace(/^parts\.\d+\./, "").replace(/\.\d+$/, "")];
  throw new GatewayError("PLUGIN_MANIFEST", { file, path, why: right === undefined ? why : `${why}. Write ${right}` });
}
/** For authors who see a manifest for the first time: what to write in the place of what is wrong or missing. */
const WHAT_IS_RIGHT: Readonly<Record<string, string>> = {
  id: "a short name, such as my-checks: lowercase letters, digits, - and _",
  kind: "what it plugs into, such as guardrail",
  version: "the plugin's own version, such as 1.0.0",
  contract: `a range of versions of the gateway's contract, such as ^${CONTRACT_VERSION}`,
  title: "its name as people are shown it",
  needs: "net:<host>, net:{config.<member>}, secret:<NAME>, or one of the handles that the message lists",
  provides: "a list of ids, such as my-checks.scan",
};

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
    path: "scopes",
    why: "scopes are for routes: the plugin must be of kind admin or api",
    when: (m) => m.scopes !== undefined && m.kind !== "admin" && m.kind !== "api",
  },
  {
    path: "scopes",
    why: "one of them is a scope of the gateway's own; choose another family",
    when: (m) => (m.scopes ?? []).flatMap(scopesIn).some((scope) => isScope(scope)),
  },
  {
    path: "bare",
    why: "only checks have names that a guardrail could leave the pack out of",
    when: (m) => m.bare !== undefined && m.kind !== "guardrail",
  },
  {
    path: "isolate",
    why: "only the checks of a guardrail plugin, one with an entry of its own, run in processes of their own",
    when: (m) => m.isolate === "process" && (m.kind !== "guardrail" || m.entry === undefined),
  },
];

/** Was the plugin made for this contract? */
export function checkContract(manifest: Manifest): void {
  if (semver.satisfies(CONTRACT_VERSION, manifest.contract)) return;
  throw new GatewayError("PLUGIN_CONTRACT", { plugin: pluginName(manifest), range: manifest.contract, version: CONTRACT_VERSION });
}

/**
 * Does the plugin judge every request? Then it runs where the profile names it, being no stowaway of a folder or a build, and
 * its failure must open no door: it may have known callers, or have limited them. A policy that names routing strategies
 * under `provides` is missed by the configs that ask for one, and those are refused.
 */
export const isGuard = ({ kind, provides = [] }: Manifest): boolean => kind === "policy" && provides.length === 0;
