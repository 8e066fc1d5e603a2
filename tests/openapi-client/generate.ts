/**
 * `openapi-typescript` as its user runs it, on the compiler that it is written for: it takes TypeScript 5's syntax tree apart,
 * and the compiler of this tree has another. So it is bundled with the one that `@ts-morph/common` holds.
 */
import { join } from "node:path";
import type openapiTS from "openapi-typescript";

const OLDER_COMPILER = Bun.resolveSync("@ts-morph/common/dist/typescript.js", import.meta.dir);

/**
 * The types of a document, as a file's text; `folder` is written to. Without its flag, a member with a default would have to
 * be in every body: who reads has it always, who writes may leave it out.
 */
export async function typesOf(document: object, folder: string): Promise<string> {
  const { default: generate, astToString } = await bundled(folder);
  return astToString(await generate(JSON.stringify(document), { defaultNonNullable: false }));
}

interface Generator {
  readonly default: typeof openapiTS;
  readonly astToString: (ast: Awaited<ReturnType<typeof openapiTS>>) => string;
}
async function bundled(folder: string): Promise<Generator> {
  const built = await Bun.build({
    entrypoints: [Bun.resolveSync("openapi-typescript", import.meta.dir)],
    target: "bun",
    outdir: join(folder, "generator"),
    plugins: [
      {
        name: "older-compiler",
        setup: (build) => build.onResolve({ filter: /^typescript$/ }, () => ({ path: OLDER_COMPILER })) as unknown as undefined,
      },
    ],
  });
  return (await import(built.outputs[0]?.path ?? "")) as Generator; // its own entry
}
