/** The boundaries of the architecture, held by reading every import of the tree. */
import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import * as contract from "#contract";
import { ERRORS, HEADERS, type Manifest, type Operation, OPERATION_IDS, OPERATIONS, RECORDS, REQUEST_TYPES, wholePath } from "#contract";

const root = join(import.meta.dir, "..");
const files = (pattern: string): string[] =>
  [...new Bun.Glob(pattern).scanSync({ cwd: root })]
    .filter((file) => !file.includes("node_modules/") && !file.startsWith("dist/") && !file.startsWith("data/"))
    .sort();
const read = (file: string): string => readFileSync(join(root, file), "utf8");
const isTest = (file: string): boolean => file.endsWith(".test.ts") || file.includes("/fixtures/");

/** Every module named by an import or export, `import type` included (a transpiler's scan would skip those). */
const importsOf = (file: string): string[] => [...read(file).matchAll(/(?:from|import)\s*\(?\s*"([^"]+)"/g)].map(([, path]) => path ?? "");
const target = (file: string, path: string): string => normalize(join(dirname(file), path));

/** The folder that is a plugin: `providers/x`, `plugins/policy/x`, `plugins/console`. */
const homeOf = (file: string): string => {
  const parts = file.split("/");
  return parts[0] === "plugins" && parts[1] !== "console" ? parts.slice(0, 3).join("/") : parts.slice(0, 2).join("/");
};
const pluginFiles = ["providers", "guardrails", "plugins", "storage"].flatMap((top) => files(`${top}/**/*.ts`));
const manifests = ["providers", "guardrails", "plugins", "storage"]
  .flatMap((top) => files(`${top}/**/manifest.json`))
  .map((file) => ({ file, manifest: JSON.parse(read(file)) as Manifest }));

describe("a plugin", () => {
  test("imports #contract, npm packages and its own folder, and what its kind shares, nothing else of ours", () => {
    const strays = pluginFiles
      .filter((file) => !isTest(file))
      .flatMap((file) =>
        importsOf(file)
          .filter((path) => path.startsWith(".") || path.startsWith("#"))
          .filter((path) => path !== "#contract")
          .filter((path) => path.startsWith("#") || !allowed(file, target(file, path)))
          .map((path) => `${file} -> ${path}`),
      );
    expect(strays).toEqual([]);
  });
  test("uses neither the global fetch nor the process's environment", () => {
    const strays = pluginFiles
      .filter((file) => !isTest(file) && !file.startsWith("storage/"))
      .filter((file) => {
        const code = read(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "");
        return /(?<![.\w])fetch\(/.test(code) || (/process\.env/.test(code) && !READS_ENVIRONMENT.has(homeOf(file)));
      });
    expect(strays).toEqual([]);
  });
  test("has a folder of its manifest's name", () => {
    expect(manifests.filter(({ file, manifest }) => homeOf(file).split("/").at(-1) !== manifest.id).map(({ file }) => file)).toEqual([]);
  });
});

/** Secrets of plugins are there, and those that the operator lets tenants read. */
const READS_ENVIRONMENT: ReadonlySet<string> = new Set(["plugins/secret/env", "plugins/secret/environment"]);

const WIRES = "providers/wires/";
/** What the bodies of operations hold: shared by the plugins that mount them. */
const CONTENT = "plugins/api/content/";
/** The folder a file belongs to: its plugin, or its wire. A wire is no plugin, and knows no other wire. */
const ownFolder = (file: string): string => (file.startsWith(WIRES) ? file.split("/").slice(0, 3).join("/") : homeOf(file));
/** Storage plugins share the table kit, providers the wires that several of them speak, api plugins the reading of bodies; a test may use the kits. */
const allowed = (file: string, path: string): boolean =>
  path.startsWith(`${ownFolder(file)}/`) ||
  (file.startsWith("storage/") && path.startsWith("storage/tables/")) ||
  (file.startsWith("providers/") && !file.startsWith(WIRES) && path.startsWith(WIRES)) ||
  (file.startsWith("plugins/api/") && path.startsWith(CONTENT));

/** Code without its comments. */
const bare = (text: string): string => text.replace(/\/\*[\s\S]*?\*\/|(?<!:)\/\/.*$/gm, "");
const literalsIn = (code: string): string[] =>
  [...code.matchAll(/"([^"\n]*)"|`([^`]*)`/g)].map(([, quoted, template]) => quoted ?? template ?? "");
/** Does a literal hold this id as a word of its own? */
const names = (literal: string, id: string): boolean => new RegExp(`(?<![\\w.-])${id}(?![\\w.-])`).test(literal);

describe("the core", () => {
  const core = files("core/**/*.ts").filter((file) => !isTest(file) && !file.startsWith("core/generated/"));

  test("names no provider, store or partner", () => {
    const words = manifests
      .filter(({ manifest }) => ["provider", "storage"].includes(manifest.kind) || manifest.id.startsWith("partner_"))
      .map(({ manifest }) => manifest.id)
      .filter((id) => id !== "memory"); // a word of any sentence
    const named = core
      .filter((file) => !file.startsWith("core/build/"))
      .flatMap((file) => {
        const code = bare(read(file))
          .replace(/(from|import)\s*\(?\s*"[^"]+"/g, "")
          .replace(/description: "[^\n]*/g, "");
        return literalsIn(code).flatMap((literal) =>
          words.filter((word) => names(literal, word)).map((word) => `${file}: ${word} in "${literal}"`),
        );
      });
    expect(named).toEqual([]);
  });
  test("names no header of a vendor's: plugins declare where their clients say a key, and what a name ends in tells a credential", () => {
    const ofVendor = /^(x-(goog|google|amzn?|aws|azure|ms|aliyun)|anthropic|openai|ocp-apim)-[a-z-]+$/;
    const ofNobody = /metadata|retry-after/; // what a cloud's own network answers, and when to try again, whoever the provider is
    const found = core
      .filter((file) => !file.startsWith("core/build/"))
      .flatMap((file) => literalsIn(bare(read(file))).map((literal) => `${file}: ${literal}`))
      .filter((line) => ofVendor.test(line.split(": ")[1] ?? "") && !ofNobody.test(line));
    expect(found).toEqual([]);
  });
  test("knows no member of a body but those that every operation may have", () => {
    const members =
      /\["(messages|choices|content|prompt|input|tools|tool_calls|max_tokens|stream_options|documents|system|instructions|delta)"\]|\.(tool_calls|finish_reason|max_tokens)\b/;
    const found = core
      .filter((file) => /^core\/(pipeline|kernel|http|admin|egress|json)\//.test(file))
      .flatMap((file) => [...bare(read(file)).matchAll(new RegExp(members, "g"))].map(([said]) => `${file}: ${said}`));
    expect(found).toEqual([]);
  });
  test("knows no list of prices and no tokenizer: plugins bring them", () => {
    const importing = core.filter((file) => importsOf(file).some((path) => !path.startsWith(".") && /price|tokenizer/.test(path)));
    expect(importing).toEqual([]);
  });
  test("looks up the records of the pack and no others", () => {
    const collections = Object.entries<unknown>(contract).flatMap(([name, value]) =>
      contract.isJson(value) && "schema" in value && typeof value["name"] === "string" ? [{ name, table: value["name"] }] : [],
    );
    const code = core.filter((file) => !/^core\/(contract|build)\//.test(file)).map((file) => bare(read(file)));
    const namedIn = collections.filter(({ name }) => code.some((text) => new RegExp(`\\(${name}\\b|\\b${name}, \\[`).test(text)));
    expect(namedIn.map(({ table }) => table).sort()).toEqual(RECORDS.map((collection) => collection.name).sort());
  });
  test("imports plugins only through the generated registry", () => {
    const strays = core
      .filter((file) => !file.startsWith("core/build/"))
      .flatMap((file) =>
        importsOf(file)
          .filter((path) => path.startsWith("."))
          .map((path) => target(file, path))
          // A file of a package, where its package does not export it, is the package's, as any other import is.
          .filter((path) => !path.startsWith("core/") && !path.startsWith("node_modules/"))
          .filter((path) => !path.startsWith("plugins/profiles/") && path !== "package.json")
          .map((path) => `${file} -> ${path}`),
      );
    expect(strays).toEqual([]);
  });
  test("says `Bun.` in the platform that is Bun's, and `Deno.` in the one that is Deno's", () => {
    const code = [...core, ...pluginFiles]
      .filter((file) => !isTest(file) && !file.startsWith("core/build/"))
      .map((file) => ({ file, text: read(file).replace(/\/\*[\s\S]*?\*\/|\/\/.*$/gm, "") }));
    const saying = (words: RegExp): string[] => code.filter(({ text }) => words.test(text)).map(({ file }) => file);
    expect(saying(/(?<![\w.])Bun\.|[( ]"bun(:\w+)?"/)).toEqual([
      "core/platform/bun.ts",
      "storage/sqlite/driver/bun-orm.ts",
      "storage/sqlite/driver/bun-sqlite.ts",
    ]);
    expect(saying(/(?<![\w.])Deno\./)).toEqual(["core/platform/deno.ts"]);
  });
  test("has platforms that do not know each other", () => {
    const strays = files("core/platform/*.ts").flatMap((file) =>
      importsOf(file)
        .filter((path) => path.startsWith(".") && path !== "../platform.ts" && !path.includes("/node_modules/"))
        .map((path) => `${file} -> ${path}`),
    );
    expect(strays).toEqual([]);
  });
  test("has a contract that imports nothing of the host", () => {
    const strays = files("core/contract/**/*.ts")
      .filter((file) => !isTest(file))
      .flatMap((file) =>
        importsOf(file)
          .filter((path) => path.startsWith(".") && !target(file, path).startsWith("core/contract/"))
          .map((path) => `${file} -> ${path}`),
      );
    expect(strays).toEqual([]);
  });
  test("has rooms that import only from the rooms above them in core/README.md", () => {
    const strays = core
      .filter((file) => !isTest(file) && file !== "core/platform.ts" && !file.startsWith("core/generated/"))
      .flatMap((file) =>
        importsOf(file)
          .filter((path) => path.startsWith("."))
          .map((path) => target(file, path))
          .filter((imported) => /^core\/(?!generated\/)/.test(imported) && levelOf(imported) > levelOf(file))
          .map((imported) => `${file} -> ${imported}`),
      );
    expect(strays).toEqual([]);
  });
  test("compiles to a binary without its build tools", () => {
    const strays = core
      .filter((file) => !file.startsWith("core/build/") && file !== "core/main.ts")
      .flatMap((file) =>
        importsOf(file)
          .filter((path) => path.startsWith(".") && target(file, path).startsWith("core/build/"))
          .map((path) => `${file} -> ${path}`),
      );
    expect(strays).toEqual([]);
  });
});

/** The rooms, each with those behind it that may use it. */
const ROOMS = [
  ...["contract", "platform", "json", "compute", "egress", "admin", "kernel"],
  ...[
    "pipeline/plan",
    "pipeline/stream",
    "pipeline/call",
    "pipeline/guard",
    "pipeline/owned",
    "pipeline/settle",
    "pipeline/socket",
    "pipeline",
  ],
  ...["http", "cli", "build"],
];
function levelOf(file: string): number {
  if (file === "core/main.ts") return ROOMS.length;
  const [, room = "", inner = ""] = /^core\/([\w-]+)(?:\.ts|\/([\w-]+)\/|\/)/.exec(file) ?? [];
  const level = ROOMS.indexOf(inner !== "" && room === "pipeline" ? `pipeline/${inner}` : room);
  if (level < 0) throw new Error(`${file} is in no room; add its folder to ROOMS and to core/README.md`);
  return level;
}

describe("the tables", () => {
  test("give every operation its own method and path", () => {
    const routes = Object.values<Operation>(OPERATIONS).map((row) => `${row.method} ${wholePath(row, row.path)}`);
    expect(new Set(routes).size).toBe(routes.length);
  });
  test("derive the request types from the operations", () => {
    expect(REQUEST_TYPES.slice(0, OPERATION_IDS.length)).toEqual([...OPERATION_IDS]);
  });
  test("give every header a name, a reading and a description", () => {
    const rows = Object.values(HEADERS);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
    expect(rows.filter(({ schema }) => !schema.description)).toEqual([]);
  });
  test("give every error a status that errors have and a sentence", () => {
    expect(
      Object.entries(ERRORS)
        .filter(([, row]) => row.status < 400 || row.status > 599 || row.message.length < 4)
        .map(([code]) => code),
    ).toEqual([]);
  });
});

/** What a comment would say of a document that its reader does not have. */
const SHEET = new RegExp(
  ["specification(?:[.]md| part)? ?[0-9]", "specification[.]md", "(?:data|control)-plane[.]md", "(?:design|style)[.]md"].join("|"),
  "i",
);

describe("the code", () => {
  const ours = [...files("core/**/*.ts"), ...pluginFiles, ...files("tests/**/*.ts")];
  test("has no `any` and no unchecked line", () => {
    const loose = ours.filter(
      (file) =>
        file !== "tests/architecture.test.ts" &&
        /:\s*any\b|\bas any\b|<any>|any\[\]|@ts-ignore|@ts-nocheck/.test(
          read(file)
            .replace(/\/\*[\s\S]*?\*\/|\/\/(?!\s*@ts).*$/gm, "")
            .replace(/"[^"\n]*"|`[^`]*`/g, ""),
        ),
    );
    expect(loose).toEqual([]);
  });
  test("stays in files that fit a head", () => {
    const long = ours
      .filter((file) => !isTest(file) && !/generated/i.test(read(file).slice(0, 80)))
      .filter((file) => read(file).split("\n").length > 301);
    expect(long).toEqual([]);
  });
  test("says what it means without a sheet that is not in the repository", () => {
    const citing = files("{core,plugins,providers,guardrails,storage,tests}/**/*.ts").filter((file) => SHEET.test(read(file)));
    expect(citing).toEqual([]);
  });
});
