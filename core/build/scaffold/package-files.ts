import { kindOf, type Template } from "./template.ts";
import type { Words } from "./write.ts";

/** Where the types, the kits and the schema library of a plugin's package come from. */
export interface Source {
  readonly scripts?: Readonly<Record<string, string>>;
  readonly devDependencies: Readonly<Record<string, string>>;
  readonly tsconfig: object;
}

/**
 * What a package of its own has besides its code: its build bundles it to one file that shares nothing with the gateway at
 * run time, the contract and its schema library included.
 */
export function packageFiles(template: Template, { id, title }: Words, source: Source): Record<string, string> {
  const hasCode = template !== "openai-compatible";
  const pkg = {
    name: `gateway-${kindOf(template)}-${id.replaceAll("_", "-")}`,
    version: "0.1.0",
    description: title,
    license: "Apache-2.0",
    type: "module",
    gateway: { manifest: "manifest.json" },
    files: hasCode ? ["manifest.json", "dist"] : ["manifest.json"],
    ...(hasCode && {
      devDependencies: source.devDependencies,
      scripts: {
        build: "bun build index.ts --target=bun --outfile=dist/index.js",
        test: "bun test",
        ...source.scripts,
        prepack: "bun run build",
      },
    }),
  };
  return { "package.json": json(pkg), ...(hasCode && { "tsconfig.json": json(source.tsconfig) }) };
}
const json = (value: unknown): string => `${JSON.stringify(value, null, 2)}\n`;
