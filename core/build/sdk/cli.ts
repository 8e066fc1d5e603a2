/** The command of the package for authors of plugins: runs on Node and on Bun, away from any clone. */
import { resolve } from "node:path";
import { messageOf } from "#contract";
import { UsageError } from "../../cli/usage.ts";
import { SDK, SDK_VERSION } from "./name.ts";
import * as docs from "./docs.ts";
import * as scaffold from "./new.ts";

const HOME = resolve(import.meta.dirname, "../../../.."); // from js/core/build/sdk

const HELP = `Contract, conformance kit and scaffold for plugins of the AI gateway.

  npx ${SDK} new <kind> <id>    Make a new plugin, as a package of its own.
  npx ${SDK} docs [<folder>]    Print the reference page of a plugin.
  npx ${SDK} version            Print the version of the gateway it belongs to.

  npx ${SDK} <command> --help   What a command takes.`;

async function main([command = "help", ...args]: readonly string[]): Promise<number> {
  if (command === "new") return scaffold.run(args, HOME);
  if (command === "docs") return docs.run(args);
  if (command === "version" || command === "--version") console.log(SDK_VERSION);
  else if (command === "help" || command === "--help" || command === "-h") console.log(HELP);
  else throw new UsageError(`There is no command ${command}; there are new, docs and version.`);
  return 0;
}

try {
  process.exitCode = await main(process.argv.slice(2));
} catch (error) {
  const isUsage = error instanceof UsageError;
  const hint = isUsage ? `\nSee: npx ${SDK} ${error.command === undefined ? "" : `${error.command} `}--help` : "";
  console.error(`${messageOf(error)}${hint}`);
  process.exitCode = isUsage ? 2 : 1;
}
