import { createHash } from "node:crypto";
import { readdir, readFile, stat } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { GatewayError, isJson, type Manifest, messageOf } from "#contract";
import { importModule } from "../../platform.ts";
import type { Found } from "../life.ts";
import { parseManifests } from "./manifest.ts";

/** A folder that looked like a plugin and is none. */
export interface Unreadable {
  readonly origin: string;
  /** What its manifest says it is, if it can be read so far. */
  readonly kind?: unknown;
  readonly error: GatewayError;
}
export interface Discovery {
  readonly found: readonly Found[];
  readonly unreadable: readonly Unreadable[];
}

/** External plugins: folders with a `manifest.json`, and npm packages whose `package.json` names theirs. */
export async function discover(pluginsDir: string): Promise<Discovery> {
  const files = [...(await manifestsIn(pluginsDir)), ...(await manifestsOfPackages(join(pluginsDir, "node_modules")))];
  const found: Found[] = [];
  const unreadable: Unreadable[] = [];
  for (const file of files) {
    try {
      found.push(...(await readPlugins(file)));
    } catch (error) {
      if (!GatewayError.is(error)) throw error;
      unreadable.push({ origin: dirname(file), kind: await kindIn(file), error });
    }
  }
  return { found, unreadable };
}

async function manifestsIn(folder: string): Promise<string[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    throw new GatewayError("PROFILE_INVALID", { file: folder, path: "pluginsDir", why: `the folder cannot be read: ${messageOf(error)}` });
  });
  const files = names
    .filter((name) => name !== "node_modules" && !name.startsWith("."))
    .sort()
    .map((name) => join(folder, name, "manifest.json"));
  return passing(files, isFile);
}

/** Packages that say `"gateway": {"manifest": "manifest.json"}` in their `package.json`, scoped ones too. */
async function manifestsOfPackages(modules: string): Promise<string[]> {
  const names = (await readdir(modules).catch(() => [])).sort(); // no packages installed is the usual case
  const packages = await Promise.all(names.map(async (name) => (name.startsWith("@") ? scoped(modules, name) : [join(modules, name)])));
  const files = await Promise.all(packages.flat().map(manifestOfPackage));
  return files.filter((file) => file !== undefined);
}

const scoped = async (modules: string, scope: string): Promise<string[]> =>
  (await readdir(join(modules, scope))).sort().map((name) => join(modules, scope, name));

async function manifestOfPackage(folder: string): Promise<string | undefined> {
  const text = await readFile(join(folder, "package.json"), "utf8").catch(() => "{}"); // not a package
  try {
    const { gateway } = JSON.parse(text) as { gateway?: unknown };
    return isJson(gateway) && typeof gateway.manifest === "string" ? resolve(folder, gateway.manifest) : undefined;
  } catch {
    return undefined; // a broken package.json of some other package is not ours to judge
  }
}

/** The plugins of a manifest, by its path; throws PLUGIN_MANIFEST. None of their code is loaded. */
export async function readPlugins(file: string): Promise<readonly Found[]> {
  try {
    return await foundAt(file);
  } catch (error) {
    throw asManifestError(error, file);
  }
}

async function foundAt(file: string): Promise<readonly Found[]> {
  const manifests = parseManifests(JSON.parse(await readFile(file, "utf8")), file);
  const hash = await hashOf(dirname(file));
  return manifests.map((manifest) => foundWith(manifest, file, hash));
}
function foundWith(manifest: Manifest, file: string, hash: string): Found {
  const folder = dirname(file);
  const base = { manifest, origin: folder, file, hash };
  const { entry } = manifest;
  if (entry === undefined) return base;
  const module = { path: resolve(folder, entry), version: Buffer.from(hash).toString("base64url") };
  return { ...base, module, load: () => importModule(module.path, module.version) };
}

async function kindIn(file: string): Promise<unknown> {
  try {
    return (JSON.parse(await readFile(file, "utf8")) as { readonly kind?: unknown } | null)?.kind;
  } catch {
    return undefined; // not even JSON
  }
}

/** Hash of every file in the folder (installed dependencies apart): any change is another plugin. */
async function hashOf(folder: string): Promise<string> {
  const hash = createHash("sha256");
  for (const name of (await readdir(folder, { recursive: true })).sort()) {
    if (/(^|[/\\])(node_modules|\.git)([/\\]|$)/.test(name) || !(await isFile(join(folder, name)))) continue;
    const bytes = await readFile(join(folder, name));
    hash.update(`${name.replaceAll("\\", "/")}\0${bytes.length}\0`).update(bytes);
  }
  return `sha256-${hash.digest("base64")}`;
}

const isFile = async (path: string): Promise<boolean> => (await stat(path).catch(() => undefined))?.isFile() ?? false;

async function passing(paths: readonly string[], test: (path: string) => Promise<boolean>): Promise<string[]> {
  const kept = await Promise.all(paths.map(test));
  return paths.filter((_, index) => kept[index]);
}

const asManifestError = (error: unknown, file: string): GatewayError =>
  GatewayError.is(error)
    ? error
    : new GatewayError("PLUGIN_MANIFEST", { file, path: "(file)", why: `it cannot be read: ${messageOf(error)}` });
