#!/usr/bin/env bun
/** The one entry, for the runtime and for the compiled binary: argv -> command. */
import { HELP, helpOf, unknownCommand } from "./cli/help.ts";
import { CommandFailed, UsageError, usageHint } from "./cli/usage.ts";
import { noSourceCommands } from "./platform.ts";

type Command = (args: readonly string[]) => Promise<number>;

/** Each loads what it needs when it runs: the processes that checks run in are small and start at once. */
const COMMANDS: Readonly<Record<string, Command>> = {
  serve: async (args) => (await import("./cli/serve.ts")).serve(args),
  list: async (args) => (await import("./cli/list.ts")).list(args),
  check: async (args) => (await import("./cli/check.ts")).check(args),
  hash: async (args) => (await import("./cli/hash.ts")).hash(args),
  keys: async (args) => (await import("./cli/keys.ts")).keys(args),
  organisations: async (args) => (await import("./cli/organisations.ts")).organisations(args),
  audit: async (args) => (await import("./cli/audit.ts")).audit(args),
  guardrails: async (args) => (await import("./cli/guardrails.ts")).guardrails(args),
  backup: async (args) => (await import("./cli/backup.ts")).backup(args),
  restore: async (args) => (await import("./cli/restore.ts")).restore(args),
  isolated: async () => (await import("./cli/isolated.ts")).isolated(),
  compute: async () => (await import("./cli/compute.ts")).compute(),
  openapi: async (args) => (await import("./cli/openapi.ts")).openapi(args),
  new: async (args) => fromSource("new", args),
  build: async (args) => fromSource("build", args),
  help: async ([of = ""]) => explained(of),
  version: async () => (await import("./cli/version.ts")).version(),
};
/** These explain themselves. */
const OWN_HELP: ReadonlySet<string> = new Set(["new", "build"]);
/** What the gateway starts for itself is not for people. */
const INTERNAL: ReadonlySet<string> = new Set(["compute", "isolated"]);
const ALIASES: Readonly<Record<string, string>> = { "--help": "help", "-h": "help", "--version": "version", "-v": "version" };

/** `gateway help check`, and `gateway check --help`. */
async function explained(command: string): Promise<number> {
  if (OWN_HELP.has(command)) return run(command, ["--help"]);
  if (command !== "" && !Object.hasOwn(COMMANDS, command)) throw unknown(command);
  console.log(helpOf(command) ?? HELP);
  return 0;
}
const unknown = (word: string): UsageError =>
  unknownCommand(
    word,
    Object.keys(COMMANDS).filter((name) => !INTERNAL.has(name)),
  );

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
  const [word = "serve", ...args] = argv[0]?.startsWith("-") && !Object.hasOwn(ALIASES, argv[0]) ? ["serve", ...argv] : argv;
  const asksHelp = !OWN_HELP.has(word) && (args.includes("--help") || args.includes("-h"));
  return asksHelp ? explained(word) : run(Object.hasOwn(ALIASES, word) ? (ALIASES[word] ?? word) : word, args);
}

function run(word: string, args: readonly string[]): Promise<number> {
  const command = Object.hasOwn(COMMANDS, word) ? COMMANDS[word] : undefined;
  if (!command) throw unknown(word);
  return command(args);
}

/** A failure is sentences on standard error, one per line, and an exit code: 2 for a wrong command line, 1 for the rest. */
async function explain(error: unknown): Promise<number> {
  const broken = await brokenFiles(error);
  for (const { message } of broken) console.error(message);
  if (broken.length > 0) return 1;
  const { bootErrors } = await import("./kernel/building.ts");
  const bootFaults = bootErrors(error);
  if (bootFaults.length > 0) for (const { code, message } of bootFaults) console.error(`${code}: ${message}`);
  else if (error instanceof UsageError) console.error(usageHint(error));
  else if (error instanceof CommandFailed) console.error(error.message);
  else console.error(isOfTheSystem(error) ? `The gateway could not go on: ${error.message}` : error);
  return error instanceof UsageError ? 2 : 1;
}
/** A file, a folder or a socket that the machine refuses: the message says which. Where in our code that was helps nobody. */
const isOfTheSystem = (error: unknown): error is Error => error instanceof Error && "syscall" in error && "code" in error;

process.exit(await main(process.argv.slice(2)).catch(explain)); // a plugin's forgotten timer must not keep a finished command alive
