import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import type { Manifest } from "#contract";
import packageInfo from "../../package.json" with { type: "json" };
import { readCommandLine } from "../cli/command-line.ts";
import { scan } from "./gen-registry.ts";
import { packageFiles, type Source } from "./scaffold/package-files.ts";
import { judgedId, KINDS_HELP, kindOf, NAMED_POLICY, refused, type Template, templateNamed, titleOf } from "./scaffold/template.ts";
import { type Words, writeScaffold } from "./scaffold/write.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const TEMPLATES = join(import.meta.dirname, "templates");

/** Where plugins of a kind live, from the repository's root. */
const HOME: Readonly<Record<Manifest["kind"], (id: string) => string>> = {
  provider: (id) => `providers/${id}`,
  guardrail: (id) => `guardrails/${id}`,
  storage: (id) => `storage/${id}`,
  policy: (id) => `plugins/policy/${id}`,
  cache: (id) => `plugins/cache/${id}`,
  exporter: (id) => `plugins/exporter/${id}`,
  price: (id) => `plugins/price/${id}`,
  tokenizer: (id) => `plugins/tokenizer/${id}`,
  mail: (id) => `plugins/mail/${id}`,
  api: (id) => `plugins/api/${id}`,
  admin: (id) => `plugins/admin/${id}`,
  secret: (id) => `plugins/secret/${id}`,
  console: () => "plugins/console",
};

export const HELP = `Make a new plugin from a template; its tests pass before you change a line.

  gateway new <kind> <id> [--title "Name"] [--out <folder>]

${KINDS_HELP}

  <id>      What users type: lowercase letters, digits, - and _. The folder's name.
  --title   Name shown to people. Default: made from the id.
  --out     A plugin outside this tree, in a folder of its own with its own package.json.
  --help    Show this.

Example
  gateway new guardrail acme --title "Acme" --out ../gateway-acme

Without a clone the package that "gateway build sdk" makes does the same.

Exit codes: 0 done, 1 a file could not be read or written, 2 wrong command line.`;

/** `gateway new <kind> <id>`: writes a plugin that is green at once, into the tree or (`--out`) as a package of its own. */
export async function run(args: readonly string[]): Promise<number> {
  const { values, words: given } = readCommandLine("new", args, OPTIONS);
  if (values.help) {
    console.log(HELP);
    return 0;
  }
  if (given.length > 2) throw refused(`"${given.slice(2).join(" ")}" is one word too many.`);
  const [title, out] = [values.title, values.out].map((option) => option?.at(-1)?.toString());
  const template = templateNamed(given[0]);
  const id = await freeId(given[1], template, out !== undefined);
  const folder = out === undefined ? join(ROOT, HOME[kindOf(template)](id)) : resolve(out);
  const words: Words = { id, title: title ?? titleOf(id) };
  const further = out === undefined ? {} : packageFiles(template, words, checkout(folder));
  const written = await writeScaffold({ template: join(TEMPLATES, template), folder, words, further });
  console.log(`Made ${kindOf(template)}/${id}:`);
  for (const file of written) console.log(`  ${relative(process.cwd(), join(folder, file)) || file}`);
  const next = out === undefined ? nextInTree(template, folder) : nextOutside(template, folder);
  console.log(`\nNext:\n${next.map((line) => `  ${line}`).join("\n")}`);
  return 0;
}
const OPTIONS = {
  title: { takes: "<name>", about: "Name shown to people. Default: made from the id." },
  out: { takes: "<folder>", about: "A plugin outside this tree, in a folder of its own with its own package.json." },
  help: { about: "Show this." },
} as const;

async function freeId(word: string | undefined, template: Template, outside: boolean): Promise<string> {
  const kind = kindOf(template);
  const id = judgedId(word, template, "gateway");
  if (kind === "console" && !outside && id !== "console")
    throw refused("A console of the tree lives in plugins/console, so its id is console.");
  const taken = (await scan()).find(({ manifest }) => manifest.kind === kind && (manifest.id === id || (kind === "console" && !outside)));
  if (taken) throw refused(`There is a ${kind}/${taken.manifest.id} already, in ${taken.folder}; choose another id.`);
  if (!outside && existsSync(join(ROOT, HOME[kind](id))))
    throw refused(`The folder ${HOME[kind](id)} exists already; choose another id, or remove it.`);
  return id;
}

/** Types, kits and the schema library come from this checkout. */
function checkout(folder: string): Source {
  const root = relative(folder, ROOT);
  const paths = {
    "#contract": [`${root}/core/contract/index.ts`],
    "#kit": [`${root}/tests/kit/index.ts`],
    "@sinclair/typebox": [`${root}/node_modules/@sinclair/typebox`],
    "@sinclair/typebox/*": [`${root}/node_modules/@sinclair/typebox/*`],
  };
  return {
    devDependencies: { bun: packageInfo.dependencies.bun },
    tsconfig: {
      extends: `${root}/tsconfig.json`,
      compilerOptions: { paths, typeRoots: [`${root}/node_modules`] },
      include: [".", `${root}/core/http/embedded.d.ts`], // what the contract's own files import
      exclude: ["dist"],
    },
  };
}

function nextInTree(template: Template, folder: string): string[] {
  const place = template === "openai-compatible" ? "tests/conformance.test.ts" : relative(ROOT, folder);
  return [
    ...(template === "admin" ? ["edit schema.ts and resource.ts to what it really is, then"] : []),
    `npm run gen                      # puts it into the registry${template === "admin" ? ", and writes its migrations" : ""}`,
    `npm test -- ${place}`,
    "npm run gateway -- list",
    ...(template === "policy" ? [NAMED_POLICY] : []),
  ];
}

function nextOutside(template: Template, folder: string): string[] {
  const steps =
    template === "openai-compatible"
      ? []
      : ["npm install             # brings Bun", "npm test", "npm run build           # one file, dist/index.js"];
  return [
    `cd ${relative(process.cwd(), folder) || "."}`,
    ...steps,
    'put the folder (or the published package) into the "pluginsDir" of a profile',
    ...(template === "policy" ? [NAMED_POLICY] : []),
  ];
}
