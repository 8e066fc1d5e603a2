import { existsSync } from "node:fs";
import { cp, mkdir, readFile, rm, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { BUNDLED, ENTRIES } from "./package.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const CONTRACT = "core/contract/index.d.ts";

/**
 * Writes the declarations of the package's modules into `folder`: those that can be reached from them and no others, each
 * naming the others by relative paths, since the aliases of this tree mean nothing elsewhere.
 */
export async function writeTypes(folder: string): Promise<void> {
  const emitted = `${folder}.all`;
  try {
    await emit(emitted);
    const waiting = Object.values(ENTRIES).map((path) => `${path}.d.ts`);
    const written = new Set<string>();
    for (let file = waiting.pop(); file !== undefined; file = waiting.pop()) {
      if (written.has(file)) continue;
      written.add(file);
      const text = withPaths(await readFile(join(emitted, file), "utf8"), file, (named) => waiting.push(named));
      await mkdir(dirname(join(folder, file)), { recursive: true });
      await writeFile(join(folder, file), text);
    }
  } finally {
    await rm(emitted, { recursive: true, force: true });
  }
}

async function emit(folder: string): Promise<void> {
  const config = join(folder, "tsconfig.json");
  const compilerOptions = {
    ...{ noEmit: false, declaration: true, emitDeclarationOnly: true, outDir: folder, rootDir: ROOT },
    ...{ typeRoots: [join(ROOT, "node_modules")] },
    paths: { "#contract": [join(ROOT, "core/contract/index.ts")], "#kit": [join(ROOT, "tests/kit/index.ts")] },
  };
  const files = [...Object.values(ENTRIES).map((path) => `${path}.ts`), "core/http/embedded.d.ts"].map((path) => join(ROOT, path));
  await mkdir(folder, { recursive: true });
  await writeFile(config, JSON.stringify({ extends: join(ROOT, "tsconfig.json"), compilerOptions, include: [], files }));
  const compiler = Bun.spawn([process.execPath, join(ROOT, "node_modules/typescript/bin/tsc"), "-p", config], { stdout: "pipe" });
  const [code, said] = await Promise.all([compiler.exited, new Response(compiler.stdout).text()]);
  if (code !== 0) throw new Error(`The types could not be written:\n${said}`);
}

/** The declarations with paths that hold in the package; `names` hears of each file that they name. */
function withPaths(text: string, file: string, names: (file: string) => void): string {
  return text.replace(/((?:from|import)\s*\(?\s*)"([^"]+)"/g, (whole, before: string, path: string) => {
    const named = fileOf(path, file);
    if (named === undefined) return whole;
    names(named);
    const to = relative(dirname(file), named).replace(/\.d\.ts$/, ".js");
    return `${before}"${to.startsWith(".") ? to : `./${to}`}"`;
  });
}

/** The file of declarations that an import names; none for a package that people have or get with ours. */
function fileOf(path: string, file: string): string | undefined {
  if (path === "#contract") return CONTRACT;
  if (path.startsWith(".")) return join(dirname(file), path).replace(/(\.d)?\.ts$/, ".d.ts");
  if (path.startsWith("node:") || path === "bun:test" || BUNDLED.some((name) => path === name || path.startsWith(`${name}/`)))
    return undefined;
  throw new Error(`${file} names ${path} in its types, which is not among the packages that come with them.`);
}

/** Copies the packages that the types and the code import; their licences with them. */
export async function copyBundled(folder: string): Promise<void> {
  for (const name of BUNDLED) {
    const from = join(ROOT, "node_modules", name);
    if (!existsSync(from)) throw new Error(`${name} is not installed: run npm install.`);
    await cp(from, join(folder, name), { recursive: true });
  }
}
