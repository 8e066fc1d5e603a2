import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { KINDS, type Manifest, nearest } from "#contract";
import packageInfo from "../../package.json" with { type: "json" };
import { readCommandLine } from "../cli/command-line.ts";
import { UsageError } from "../cli/usage.ts";
import { scan } from "./gen-registry.ts";

const ROOT = resolve(import.meta.dirname, "../..");
const TEMPLATES = join(import.meta.dirname, "templates");

/** What can be made: every kind of plugin, and the provider that is one manifest. */
const TEMPLATE_NAMES = [...KINDS, "openai-compatible"] as const;
type Template = (typeof TEMPLATE_NAMES)[number];
const kindOf = (template: Template): Manifest["kind"] => (template === "openai-compatible" ? "provider" : template);

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
  api: (id) => `plugins/api/${id}`,
  admin: (id) => `plugins/admin/${id}`,
  secret: (id) => `plugins/secret/${id}`,
  console: () => "plugins/console",
};

export const HELP = `Make a new plugin from a template; its tests pass before you change a line.

  gateway new <kind> <id> [--title "Name"] [--out <folder>]

Kinds
  guardrail           A pack of checks; the template's check asks a service over HTTP.
  provider            A model provider with a wire of its own.
  openai-compatible   A provider that speaks OpenAI's API: one manifest, no code.
  policy              Identity, limits or a routing strategy; the template is a strategy.
  admin               A control-plane resource: one table and its rules.
  api                 Routes of the data plane.
  price               Prices of models, in a table of the operator's.
  exporter  cache  tokenizer  secret  storage  console

  <id>      What users type: lowercase letters, digits, - and _. The folder's name.
  --title   Name shown to people. Default: made from the id.
  --out     A plugin outside this tree, in a folder of its own with its own package.json.
  --help    Show this.

Example
  gateway new guardrail acme --title "Acme" --out ../gateway-acme

Exit codes: 0 done, 1 a file could not be read or written, 2 wrong command line.`;

/** The sentence says what would be right. */
const refused = (why: string): UsageError => new UsageError(why, "new");

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
  const written = await writeTemplate(template, folder, words, out === undefined ? {} : packageFiles(template, folder, words));
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

function templateNamed(word: string | undefined): Template {
  const template = TEMPLATE_NAMES.find((name) => name === word);
  if (template) return template;
  if (word === undefined) throw refused(`Say what kind of plugin to make; the kinds are ${TEMPLATE_NAMES.join(", ")}.`);
  const meant = nearest(word, TEMPLATE_NAMES);
  throw refused(
    meant === undefined
      ? `There is no kind ${word}; the kinds are ${TEMPLATE_NAMES.join(", ")}.`
      : `There is no kind ${word}; ${meant} was probably meant.`,
  );
}

async function freeId(id: string | undefined, template: Template, outside: boolean): Promise<string> {
  const kind = kindOf(template);
  if (id === undefined) throw refused(`Say what the ${kind} is called: gateway new ${template} <id>.`);
  if (!/^[a-z][a-z0-9_-]{0,63}$/.test(id))
    throw refused(
      `The id ${id} cannot be used: it begins with a lowercase letter and has lowercase letters, digits, - and _ only, at most 64.`,
    );
  if (kind === "console" && !outside && id !== "console")
    throw refused("A console of the tree lives in plugins/console, so its id is console.");
  const taken = (await scan()).find(({ manifest }) => manifest.kind === kind && (manifest.id === id || (kind === "console" && !outside)));
  if (taken) throw refused(`There is a ${kind}/${taken.manifest.id} already, in ${taken.folder}; choose another id.`);
  if (!outside && existsSync(join(ROOT, HOME[kind](id))))
    throw refused(`The folder ${HOME[kind](id)} exists already; choose another id, or remove it.`);
  return id;
}

/** `acme-llm` -> `Acme Llm` */
const titleOf = (id: string): string =>
  id
    .split(/[-_]/)
    .filter((word) => word !== "")
    .map((word) => word[0]?.toUpperCase() + word.slice(1))
    .join(" ");

interface Words {
  readonly id: string;
  readonly title: string;
}
/**
 * Templates are plugins that work: the linter, the compiler and the tests see them like any other code. The word they
 * are called by is replaced by the new plugin's.
 */
const named = (text: string, { id, title }: Words, form: "text" | "path"): string =>
  text.replace(/SPROCKET|Sprocket|sprocket/g, (word) => {
    if (word === "SPROCKET") return id.toUpperCase().replaceAll("-", "_");
    if (word === "Sprocket") return form === "text" ? title.replace(/["\\`$]/g, "") : id;
    return id;
  });

/** Names whose rules are narrower than an id's: host names know no `_`, table names no `-`. */
const tidied = (text: string): string =>
  text
    .replace(/[\w-]+(?:\.[\w-]+)*\.example\b/g, (host) => host.replaceAll("_", "-"))
    .replace(/"[\w-]+_records"/g, (table) => table.replaceAll("-", "_"));

async function writeTemplate(
  template: Template,
  folder: string,
  words: Words,
  further: Readonly<Record<string, string>>,
): Promise<readonly string[]> {
  if (existsSync(folder) && (await readdir(folder)).length > 0) throw refused(`The folder ${folder} is not empty.`);
  const files = new Map<string, string>();
  for (const name of await readdir(join(TEMPLATES, template), { recursive: true })) {
    if (!/\.(json|ts|case)$/.test(name)) continue; // folders
    files.set(named(name, words, "path"), tidied(named(await readFile(join(TEMPLATES, template, name), "utf8"), words, "text")));
  }
  for (const [name, text] of Object.entries(further)) files.set(name, text);
  if ("package.json" in further) standAlone(files);
  for (const [name, text] of files) {
    await mkdir(dirname(join(folder, name)), { recursive: true });
    await writeFile(join(folder, name), text);
  }
  return [...files.keys()].sort();
}

/** What is different outside the tree: the entry is the bundle, and no generator keeps the list of checks. */
function standAlone(files: Map<string, string>): void {
  const change = (name: string, from: string | RegExp, to: string): void => {
    const text = files.get(name);
    if (text !== undefined) files.set(name, text.replace(from, to));
  };
  change("manifest.json", '"entry": "index.ts"', '"entry": "dist/index.js"');
  change("checks/index.ts", /^\/\/ Generated.*\n/, "");
}

/**
 * What a package of its own needs besides: its build bundles it to one file that shares nothing with the gateway at run
 * time, the contract and its schema library included. Types, kits and that library come from this checkout.
 */
function packageFiles(template: Template, folder: string, { id, title }: Words): Record<string, string> {
  const hasCode = template !== "openai-compatible";
  const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
  const checkout = relative(folder, ROOT);
  const pkg = {
    name: `gateway-${kindOf(template)}-${id.replaceAll("_", "-")}`,
    version: "0.1.0",
    description: title,
    license: "Apache-2.0",
    type: "module",
    gateway: { manifest: "manifest.json" },
    files: hasCode ? ["manifest.json", "dist"] : ["manifest.json"],
    ...(hasCode && {
      devDependencies: { bun: packageInfo.dependencies.bun },
      scripts: { build: "bun build index.ts --target=bun --outfile=dist/index.js", test: "bun test", prepack: "bun run build" },
    }),
  };
  if (!hasCode) return { "package.json": json(pkg) };
  const paths = {
    "#contract": [`${checkout}/core/contract/index.ts`],
    "#kit": [`${checkout}/tests/kit/index.ts`],
    "@sinclair/typebox": [`${checkout}/node_modules/@sinclair/typebox`],
    "@sinclair/typebox/*": [`${checkout}/node_modules/@sinclair/typebox/*`],
  };
  return {
    "package.json": json(pkg),
    "tsconfig.json": json({
      extends: `${checkout}/tsconfig.json`,
      compilerOptions: { paths, typeRoots: [`${checkout}/node_modules`] },
      include: [".", `${checkout}/core/http/embedded.d.ts`], // what the contract's own files import
      exclude: ["dist"],
    }),
  };
}

const NAMED_POLICY = "A policy that identifies, admits or settles runs only where a profile names it (plugins or order).";
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
