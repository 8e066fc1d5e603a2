import { existsSync, readFileSync } from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import packageInfo from "../../../package.json" with { type: "json" };
import { isJson } from "#contract";
import { readCommandLine } from "../../cli/command-line.ts";
import { packageFiles, type Source } from "../scaffold/package-files.ts";
import { judgedId, KINDS_HELP, kindOf, NAMED_POLICY, refused, type Template, templateNamed, titleOf } from "../scaffold/template.ts";
import { type Words, writeScaffold } from "../scaffold/write.ts";
import { BUILT_IN, SDK, SDK_MODULES, SDK_VERSION } from "./name.ts";

const OPTIONS = {
  title: { takes: "<name>", about: "Name shown to people. Default: made from the id." },
  out: { takes: "<folder>", about: "Where to write it. Default: a folder of the id's name." },
  help: { about: "Show this." },
} as const;

export const HELP = `Make a new plugin from a template, as a package of its own; its tests pass before you change a line.

  npx ${SDK} new <kind> <id> [--title "Name"] [--out <folder>]

${KINDS_HELP}

  <id>      What users type: lowercase letters, digits, - and _.
  --title   Name shown to people. Default: made from the id.
  --out     Where to write it. Default: a folder of the id's name.
  --help    Show this.

Exit codes: 0 done, 1 a file could not be read or written, 2 wrong command line.`;

/** `new <kind> <id>`, outside any clone of the gateway. `home` is the package's own folder. */
export async function run(args: readonly string[], home: string): Promise<number> {
  const { values, words: given } = readCommandLine("new", args, OPTIONS, SDK);
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  if (given.length > 2) throw refused(`"${given.slice(2).join(" ")}" is one word too many.`);
  const [title, out] = [values.title, values.out].map((option) => option?.at(-1)?.toString());
  const template = templateNamed(given[0]);
  const id = freeId(judgedId(given[1], template, SDK), template, home);
  const folder = resolve(out ?? id);
  const words: Words = { id, title: title ?? titleOf(id) };
  const further = packageFiles(template, words, installed(home, folder));
  const written = await writeScaffold({ template: join(home, "templates", template), folder, words, further, modules: SDK_MODULES });
  console.log(`Made ${kindOf(template)}/${id}:`);
  for (const file of written) console.log(`  ${relative(process.cwd(), join(folder, file)) || file}`);
  console.log(
    `\nNext:\n${next(template, folder)
      .map((line) => `  ${line}`)
      .join("\n")}`,
  );
  return 0;
}

/** A gateway would not start a plugin beside its own of the same name. */
function freeId(id: string, template: Template, home: string): string {
  const taken = JSON.parse(readFileSync(join(home, BUILT_IN), "utf8")) as readonly string[]; // written when the package was built
  const name = `${kindOf(template)}/${id}`;
  if (taken.includes(name)) throw refused(`${name} is a plugin of the gateway's own; choose another id.`);
  return id;
}

const installed = (home: string, folder: string): Source => ({
  devDependencies: {
    [SDK]: versionOf(home, folder),
    bun: packageInfo.dependencies.bun,
    "bun-types": packageInfo.devDependencies["bun-types"],
    typescript: packageInfo.devDependencies.typescript,
  },
  scripts: { types: "tsc", docs: `${SDK} docs .` },
  tsconfig: {
    compilerOptions: {
      ...{ strict: true, noUncheckedIndexedAccess: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: true },
      ...{ target: "ESNext", lib: ["ESNext", "DOM", "DOM.Iterable", "DOM.AsyncIterable"], module: "Preserve", moduleResolution: "bundler" },
      ...{ resolveJsonModule: true, allowImportingTsExtensions: true, verbatimModuleSyntax: true, types: ["bun-types"] },
    },
    include: ["."],
    exclude: ["dist", "node_modules"],
  },
});

/** Where this package was installed from: a registry has it by its version, else it is the archive that npm noted. */
function versionOf(home: string, folder: string): string {
  const from = archiveOf(home);
  return from === undefined ? `^${SDK_VERSION}` : `file:${relative(folder, from) || "."}`;
}
function archiveOf(home: string): string | undefined {
  const modules = dirname(home);
  const note = join(modules, ".package-lock.json");
  if (basename(modules) !== "node_modules" || !existsSync(note)) return undefined;
  const { packages } = JSON.parse(readFileSync(note, "utf8")) as { packages?: unknown }; // npm wrote it
  const own = isJson(packages) ? packages[`node_modules/${SDK}`] : undefined;
  const resolved = isJson(own) ? own["resolved"] : undefined;
  return typeof resolved === "string" && resolved.startsWith("file:") ? resolve(dirname(modules), resolved.slice(5)) : undefined;
}

function next(template: Template, folder: string): string[] {
  const steps =
    template === "openai-compatible"
      ? []
      : [
          "npm install             # brings Bun, the kit and the compiler",
          "npm test",
          "npm run types",
          "npm run build           # one file, dist/index.js",
          "npm run docs            # its reference page",
        ];
  return [
    `cd ${relative(process.cwd(), folder) || "."}`,
    ...steps,
    'put the folder (or the published package) into the "pluginsDir" of a gateway\'s profile',
    ...(template === "policy" ? [NAMED_POLICY] : []),
  ];
}
