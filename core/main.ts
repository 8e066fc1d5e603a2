#!/usr/bin/env bun
/** The one entry, for the runtime and for the compiled binary: argv -> command. */
import { HELP, UsageError } from "./cli/help.ts";
import { noSourceCommands } from "./platform.ts";

type Command = (args: readonly string[]) => Promise<number>;

/** Each loads what it needs when it runs: the processes that checks run in are small and start at once. */
const COMMANDS: Readonly<Record<string, Command>> = {
  serve: async (args) => (await import("./cli/serve.ts")).serve(args),
  list: async (args) => (await import("./cli/list.ts")).list(args),
  check: async (args) => (await import("./cli/check.ts")).check(args),
  hash: async (args) => (await import("./cli/hash.ts")).hash(args),
  keys: async (args) => (await import("./cli/keys.ts")).keys(args),
  backup: async (args) => (await import("./cli/backup.ts")).backup(args),
  restore: async (args) => (await import("./cli/restore.ts")).restore(args),
  compute: async () => (await import("./cli/compute.ts")).compute(),
  openapi: async (args) => (await import("./cli/openapi.ts")).openapi(args),
  new: async (args) => fromSource("new", args),
  build: async (args) => fromSource("build", args),
  help: async () => {
    console.log(HELP);
    return 0;
  },
};
/** These explain themselves. */
const OWN_HELP: ReadonlySet<string> = new Set(["backup", "restore", "new", "build"]);
const ALIASES: Readonly<Record<string, string>> = { "--help": "help", "-h": "help" };

/** Commands that work on the source tree. */
async function fromSource(name: "new" | "build", args: readonly string[]): Promise<number> {
  if (noSourceCommands !== null) throw new UsageError(`gateway ${name} ${noSourceCommands}`);
  const path = new URL(`./build/${name}.ts`, import.meta.url).pathname; // computed, so that the bundler leaves it out
  const module = (await import(path)) as { run(args: readonly string[]): Promise<number> }; // what core/build's commands export
  return module.run(args);
}

/** What is wrong with the tree itself, where a file that all commands import is no JSON. */
async function brokenFiles(error: unknown): Promise<readonly Error[]> {
  if (!(error instanceof SyntaxError) || noSourceCommands !== null) return [];
  const path = new URL("./build/manifest-syntax.ts", import.meta.url).pathname;
  const module = (await import(path)) as { brokenManifests(): readonly Error[] }; // what this file of core/build exports
  return module.brokenManifests();
}

async function main(argv: readonly string[]): Promise<number> {
  const [word = "serve", ...args] = argv[0]?.startsWith("--") && !(argv[0] in ALIASES) ? ["serve", ...argv] : argv;
  const command = COMMANDS[ALIASES[word] ?? word];
  if (!command) throw new UsageError(`There is no command ${word}.`);
  if (!OWN_HELP.has(word) && (args.includes("--help") || args.includes("-h"))) {
    console.log(HELP);
    return 0;
  }
  return command(args);
}

/** A failure is sentences on standard error, one per line, and an exit code: 2 for a wrong command line, 1 for the rest. */
async function explain(error: unknown): Promise<number> {
  const broken = await brokenFiles(error);
  for (const { message } of broken) console.error(message);
  if (broken.length > 0) return 1;
  const { bootErrors } = await import("./kernel/reload/generations.ts");
  const bootFaults = bootErrors(error);
  if (bootFaults.length > 0) for (const { code, message } of bootFaults) console.error(`${code}: ${message}`);
  else if (error instanceof UsageError) console.error(`${error.message}\n\n${HELP}`);
  else console.error(isOfTheSystem(error) ? `The gateway could not go on: ${error.message}` : error);
  return error instanceof UsageError ? 2 : 1;
}
/** A file, a folder or a socket that the machine refuses: the message says which. Where in our code that was helps nobody. */
const isOfTheSystem = (error: unknown): error is Error => error instanceof Error && "syscall" in error && "code" in error;

process.exit(await main(process.argv.slice(2)).catch(explain)); // a plugin's forgotten timer must not keep a finished command alive
