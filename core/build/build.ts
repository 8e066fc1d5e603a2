import { existsSync } from "node:fs";
import { mkdir, rename, stat } from "node:fs/promises";
import { basename, dirname, join, relative, resolve } from "node:path";
import type { BunPlugin } from "bun";
import { KINDS, messageOf, pluginName } from "#contract";
import { readCommandLine } from "../cli/command-line.ts";
import { UsageError } from "../cli/usage.ts";
import { BUILT_IN_PROFILES, foldProfile, type ProfileFile } from "../kernel/settings/profile.ts";
import { registrySource, scan, type Scanned } from "./gen-registry.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const ENTRY = join(ROOT, "core/main.ts");
const REGISTRY = "core/generated/registry.ts";
const PROFILES = "plugins/profiles";
/** Modules that run as Workers: each is an entry point of its own inside the executable, when its plugin is. */
const WORKER = "**/*.worker.ts";

export const HELP = `Compile the gateway to one executable per profile.

  gateway build [--profile <name or path>]... [--outfile <file>] [--target <target>]
  gateway build sdk [--outdir <folder>]     The package for authors of plugins; see gateway build sdk --help.

  --profile   A built-in profile or the path of one; may be given several times. Default: ${Object.keys(BUILT_IN_PROFILES).join(", ")}.
              Only its plugins are in the executable, and it is what "default" means there.
  --outfile   Where to write it (one profile only). Default: dist/gateway-<profile>.
  --target    Another platform, such as bun-linux-x64-musl, bun-linux-arm64, bun-darwin-arm64, bun-windows-x64.
  --help      Show this.

Example
  gateway build --profile ./profile.json --outfile ./dist/gateway

Exit codes: 0 done, 1 it could not be compiled, 2 wrong command line.`;

interface Order {
  readonly profile: string;
  readonly outfile: string;
  readonly target: string | undefined;
}

/** `gateway build`: one executable per profile, holding the plugins of that profile and no others; or the package for authors of plugins. */
export async function run(args: readonly string[]): Promise<number> {
  if (args[0] === "sdk") return (await import("./sdk/build.ts")).run(args.slice(1));
  const orders = ordersIn(args);
  if (orders === "help") {
    console.log(HELP);
    return 0;
  }
  try {
    for (const order of orders) await build(order);
    return 0;
  } catch (error) {
    console.error(messageOf(error));
    return 1;
  }
}

const OPTIONS = {
  profile: { takes: "<name or path>", about: "What is in the executable." },
  outfile: { takes: "<file>", about: "Where to write it." },
  target: { takes: "<target>", about: "Another platform." },
  help: { about: "Show this." },
} as const;

function ordersIn(args: readonly string[]): readonly Order[] | "help" {
  const { values, words } = readCommandLine("build", args, OPTIONS);
  if (values.help) return "help";
  if (words.length > 0) throw new UsageError(`gateway build takes options only; "${words.join(" ")}" is none.`, "build");
  const [outfile, target] = [values.outfile, values.target].map((given) => given?.at(-1)?.toString());
  const profiles = values.profile?.map(String) ?? Object.keys(BUILT_IN_PROFILES);
  if (outfile !== undefined && profiles.length !== 1)
    throw new UsageError("With --outfile there is one profile: say which with --profile.", "build");
  return profiles.map((profile) => ({
    profile,
    target,
    outfile: resolve(outfile ?? join(ROOT, "dist", `gateway-${basename(profile, ".json")}`)),
  }));
}

async function build({ profile, outfile, target }: Order): Promise<void> {
  const startedAt = performance.now();
  const { file, folded } = await foldProfile(profile);
  const inside = membersOf(folded, await scan());
  console.log(`${profile}: compiling ${inside.length} plugins …`);
  const written = await compile({ outfile, target, inside, profile: portable(folded, file) });
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1);
  console.log(`${profile}: ${relative(process.cwd(), written)}, ${megabytes((await stat(written)).size)} MB in ${seconds} s`);
  for (const kind of KINDS) {
    const ids = inside.filter(({ manifest }) => manifest.kind === kind).map(({ manifest }) => manifest.id);
    if (ids.length > 0) console.log(`  ${kind.padEnd(10)} ${ids.join(" ")}`);
  }
}
const megabytes = (bytes: number): string => (bytes / 1_000_000).toFixed(1);

/** The plugins a profile does not exclude, and those that interpret or are required by them. */
function membersOf({ plugins = {}, others = "enabled" }: ProfileFile, all: readonly Scanned[]): readonly Scanned[] {
  const named = (name: string): Scanned | undefined => all.find(({ manifest }) => pluginName(manifest) === name);
  const inside = new Set(
    all.filter(({ manifest }) => plugins[pluginName(manifest)]?.enabled ?? (pluginName(manifest) in plugins || others === "enabled")),
  );
  for (const { manifest } of inside) {
    const interpreter = manifest.entry === undefined ? [`${manifest.kind}/${manifest.extends}`] : [];
    for (const name of [...interpreter, ...(manifest.requires ?? [])]) {
      const needed = named(name);
      if (needed) inside.add(needed); // a set that grows is walked to its new end
    }
  }
  return all.filter((plugin) => inside.has(plugin));
}

/** A profile that is compiled in has no folder: its `pluginsDir` is taken from where the executable is started. */
function portable(folded: ProfileFile, file: string): ProfileFile {
  const { extends: _, pluginsDir, ...rest } = folded;
  return { ...rest, ...(pluginsDir !== undefined && { pluginsDir: relative(dirname(resolve(file)), pluginsDir) || "." }) };
}

interface Compilation {
  readonly outfile: string;
  readonly target: string | undefined;
  readonly inside: readonly Scanned[];
  readonly profile: ProfileFile;
}

/** Writes the executable beside its place first: a failed build leaves the old one. */
async function compile({ outfile, target, inside, profile }: Compilation): Promise<string> {
  await mkdir(dirname(outfile), { recursive: true });
  const result = await Bun.build({
    entrypoints: [ENTRY, ...workersIn("core"), ...inside.flatMap(({ folder }) => workersIn(folder))],
    root: ROOT,
    target: "bun",
    minify: true,
    plugins: [contentOf(inside, profile)],
    compile: { outfile: `${outfile}.new`, ...(target !== undefined && { target: target as Bun.Build.CompileTarget }) }, // an unknown one is refused there, by name
    throw: false,
  });
  if (!result.success) throw new Error(`The build failed:\n${result.logs.map(String).join("\n")}`);
  const made = existsSync(`${outfile}.new`) ? `${outfile}.new` : `${outfile}.new.exe`;
  const place = made.endsWith(".exe") && !outfile.endsWith(".exe") ? `${outfile}.exe` : outfile;
  await rename(made, place);
  return place;
}

const workersIn = (folder: string): string[] => [...new Bun.Glob(WORKER).scanSync({ cwd: join(ROOT, folder), absolute: true })];

/** Puts the registry of these plugins, and profiles that name no others, in the place of the generated and written ones. */
function contentOf(inside: readonly Scanned[], profile: ProfileFile): BunPlugin {
  const names = new Set(inside.map(({ manifest }) => pluginName(manifest)));
  const profiles: Record<string, unknown> = { ...BUILT_IN_PROFILES, default: profile };
  return {
    name: "gateway-profile",
    setup(builder) {
      builder.onLoad({ filter: new RegExp(`/${REGISTRY.replaceAll(".", "\\.")}$`) }, () => ({
        contents: registrySource(inside),
        loader: "ts",
      }));
      builder.onLoad({ filter: new RegExp(`/${PROFILES}/[a-z]+\\.json$`) }, ({ path }) => {
        const own = (profiles[basename(path, ".json")] ?? {}) as ProfileFile; // judged when it was read, or one of ours
        return { contents: JSON.stringify(only(own, names)), loader: "json" };
      });
    },
  };
}

/** The profile without the plugins that are not in the executable. */
function only({ plugins = {}, order = [], ...rest }: ProfileFile, names: ReadonlySet<string>): ProfileFile {
  const kept = Object.entries(plugins).filter(([name]) => names.has(name));
  return { ...rest, plugins: Object.fromEntries(kept), order: order.filter((name) => names.has(name)) };
}
