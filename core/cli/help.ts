import { nearest } from "#contract";
import { type CommandName, HELP_OF, OPTIONS } from "./command-help.ts";
import { UsageError } from "./usage.ts";

/** Commands that work on the source tree; they explain themselves. */
const OF_THE_TREE: readonly (readonly [usage: string, summary: string])[] = [
  ["new <kind> <id>", "Make a new plugin from the template (source tree only)."],
  ["build [--profile <p>]", "Compile one executable (source tree only)."],
  ["build sdk", "Build the npm package for authors of plugins (source tree only)."],
];
const FURTHER: readonly (readonly [usage: string, summary: string])[] = [
  ["help [command]", "Show this, or what a command takes; the same as <command> --help."],
  ["version", "Show the gateway's version; the same as --version."],
];

const WIDTH = 23;
const row = (left: string, right: string): string => `  ${left.padEnd(WIDTH - 1)} ${right}`;
const usageOf = (name: CommandName): string => {
  const { takes, options } = HELP_OF[name];
  return [name, takes, ...options.map((option) => `[${optionUsage(option)}]`)].filter((word) => word !== undefined).join(" ");
};
const optionUsage = (name: keyof typeof OPTIONS): string =>
  [`--${name}`, OPTIONS[name].takes].filter((word) => word !== undefined).join(" ");

const COMMAND_NAMES = Object.keys(HELP_OF) as CommandName[]; // the table's own keys

export const HELP = `The AI gateway.

  gateway [command] [options]

Commands (gateway <command> --help says more)
${[
  ...COMMAND_NAMES.map(
    (name) => [[name, HELP_OF[name].takes].filter((word) => word !== undefined).join(" "), HELP_OF[name].summary] as const,
  ),
  ...OF_THE_TREE,
  ...FURTHER,
]
  .map(([usage, summary]) => row(usage, summary))
  .join("\n")}

Environment (the README has them all)
  HOST, PORT              Where to listen. Default 127.0.0.1 and 8787.
  GATEWAY_PROFILE         Deployment profile: default, minimal, full, or a path.
  GATEWAY_DATA_DIR        Where the embedded database and the keys are. Default ./data.
  GATEWAY_ADMIN_KEY       Presets the admin key. Needed to listen on other than a loopback address.
  DATABASE_URL, REDIS_URL Use PostgreSQL and Redis instead of the embedded storage.

Exit codes: 0 done, 1 failed, 2 wrong command line.`;

/** The help of one command; undefined for those that have none here. */
export const helpOf = (command: string): string | undefined => (isCommand(command) ? fullHelp(command) : undefined);
const isCommand = (word: string): word is CommandName => Object.hasOwn(HELP_OF, word);

function fullHelp(name: CommandName): string {
  const { summary, about, options, example, fails } = HELP_OF[name];
  return `gateway ${usageOf(name)}

${summary}
${about}

Options
${[...options.map((option) => row(optionUsage(option), OPTIONS[option].about)), row("--help", "Show this.")].join("\n")}

Example
  ${example}

Exit codes: 0 done, 1 ${fails}, 2 wrong command line.`;
}

/** A command that there is not, and the one that was probably meant. */
export function unknownCommand(word: string, commands: readonly string[]): UsageError {
  const meant = nearest(word, commands);
  return new UsageError(
    `There is no command ${word}${meant === undefined ? `. The commands are ${commands.join(", ")}` : `; ${meant} was probably meant`}.`,
  );
}
