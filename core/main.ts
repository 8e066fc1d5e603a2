#!/usr/bin/env bun
/** The one entry, for the runtime and for the compiled binary: argv -> command. */
import { backup } from "./cli/backup.ts";
import { check } from "./cli/check.ts";
import { HELP, UsageError } from "./cli/help.ts";
import { keys } from "./cli/keys.ts";
import { list } from "./cli/list.ts";
import { restore } from "./cli/restore.ts";
import { serve } from "./cli/serve.ts";
import { bootErrors } from "./kernel/generations.ts";
import { isCompiled } from "./platform.ts";

type Command = (args: readonly string[]) => Promise<number>;

const COMMANDS: Readonly<Record<string, Command>> = {
  serve,
  list,
  check,
  keys,
  backup,
  restore,
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

/** Commands that work on the source tree; they are no part of a compiled binary. */
async function fromSource(name: "new" | "build", args: readonly string[]): Promise<number> {
  if (isCompiled()) throw new UsageError(`gateway ${name} works on the source tree and is not part of a compiled binary.`);
  const path = new URL(`./build/${name}.ts`, import.meta.url).pathname; // computed, so that the bundler leaves it out
  const module = (await import(path)) as { run(args: readonly string[]): Promise<number> }; // what core/build's commands export
  return module.run(args);
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
function explain(error: unknown): number {
  const known = bootErrors(error);
  if (known.length > 0) for (const { code, message } of known) console.error(`${code}: ${message}`);
  else if (error instanceof UsageError) console.error(`${error.message}\n\n${HELP}`);
  else console.error(isOfTheSystem(error) ? `The gateway could not go on: ${error.message}` : error);
  return error instanceof UsageError ? 2 : 1;
}
/** A file, a folder or a socket that the machine refuses: the message says which. Where in our code that was helps nobody. */
const isOfTheSystem = (error: unknown): error is Error => error instanceof Error && "syscall" in error && "code" in error;

process.exit(await main(process.argv.slice(2)).catch(explain)); // a plugin's forgotten timer must not keep a finished command alive
