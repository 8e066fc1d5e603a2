import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import type { BunPlugin } from "bun";
import { messageOf } from "#contract";
import { readCommandLine } from "../../cli/command-line.ts";
import { UsageError } from "../../cli/usage.ts";
import { BUILT_IN, SDK, SDK_VERSION } from "./name.ts";
import { scan } from "../gen-registry.ts";
import { BUNDLED, CLI, ENTRIES, packageOf } from "./package.ts";
import { copyBundled, writeTypes } from "./types.ts";

const ROOT = resolve(import.meta.dirname, "../../..");

const OPTIONS = {
  outdir: { takes: "<folder>", about: "Where the package and its archive are written." },
  help: { about: "Show this." },
} as const;

export const HELP = `Build the package for authors of plugins: contract, conformance kit, types and scaffold, as an npm archive.

  gateway build sdk [--outdir <folder>]

  --outdir    Where ${SDK}/ and ${SDK}-${SDK_VERSION}.tgz are written. Default: dist.

Example
  gateway build sdk --outdir ../sdk

Exit codes: 0 done, 1 it could not be built, 2 wrong command line.`;

/** `gateway build sdk`. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, words } = readCommandLine("build", args, OPTIONS);
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  if (words.length > 0) throw new UsageError(`gateway build sdk takes options only; "${words.join(" ")}" is none.`, "build");
  const outdir = resolve(values.outdir?.at(-1)?.toString() ?? join(ROOT, "dist"));
  try {
    const archive = await buildPackage(outdir);
    console.log(`${SDK}: ${relative(process.cwd(), archive)}`);
    console.log(`\nTry it in an empty folder:\n  npx file:${archive} new guardrail acme`);
    return 0;
  } catch (error) {
    console.error(messageOf(error));
    return 1;
  }
}

/** Writes the package's folder and its archive; tells the archive's path. */
async function buildPackage(outdir: string): Promise<string> {
  const folder = join(outdir, SDK);
  await rm(folder, { recursive: true, force: true });
  await mkdir(folder, { recursive: true });
  await Promise.all([writeCode(join(folder, "js")), writeTypes(join(folder, "types")), copyBundled(join(folder, "node_modules"))]);
  await cp(join(ROOT, "core/build/templates"), join(folder, "templates"), { recursive: true });
  await writeFile(join(folder, BUILT_IN), JSON.stringify(await builtIn()));
  await cp(join(ROOT, "LICENSE"), join(folder, "LICENSE"));
  await cp(join(ROOT, "core/build/sdk/README.md"), join(folder, "README.md"));
  await writeFile(join(folder, "package.json"), `${JSON.stringify(packageOf(), null, 2)}\n`);
  return pack(folder, outdir);
}

/** The plugins of the gateway, whose names are taken. */
const builtIn = async (): Promise<readonly string[]> => (await scan()).map(({ manifest: { kind, id } }) => `${kind}/${id}`);

async function writeCode(folder: string): Promise<void> {
  const { success, logs } = await Bun.build({
    entrypoints: [...Object.values(ENTRIES), CLI].map((path) => join(ROOT, `${path}.ts`)),
    root: ROOT,
    outdir: folder,
    target: "node", // the contract and the command run there too; the kit asks for Bun itself
    splitting: true,
    external: ["bun", "bun:*", ...BUNDLED, ...BUNDLED.map((name) => `${name}/*`)],
    plugins: [withoutPage],
    throw: false,
  });
  if (!success) throw new Error(`The code could not be bundled:\n${logs.map(String).join("\n")}`);
  const cli = join(folder, `${CLI}.js`);
  await writeFile(cli, `#!/usr/bin/env node\n${(await readFile(cli, "utf8")).replace(/^#!.*\n/, "")}`, { mode: 0o755 });
}

/** Megabytes of a page that no kit shows. */
const withoutPage: BunPlugin = {
  name: "without the page of the documentation",
  setup(builder) {
    builder.onResolve({ filter: /\/standalone\.js$/ }, ({ path }) => ({ path, namespace: "page" }));
    builder.onLoad({ filter: /.*/, namespace: "page" }, () => ({ contents: 'export default "";', loader: "js" }));
  },
};

/** As it would be published. */
async function pack(folder: string, outdir: string): Promise<string> {
  const npm = Bun.spawn(["npm", "pack", "--silent", "--pack-destination", outdir], { cwd: folder, stdout: "pipe", stderr: "pipe" });
  const [code, name, said] = await Promise.all([npm.exited, new Response(npm.stdout).text(), new Response(npm.stderr).text()]);
  if (code !== 0) throw new Error(`npm pack failed in ${dirname(folder)}:\n${said}`);
  return join(outdir, name.trim());
}
