import { readSettings, type Settings } from "../kernel/settings/settings.ts";
import { type CommandName, HELP_OF, OPTIONS } from "./command-help.ts";
import { type CommandLine, readCommandLine } from "./command-line.ts";
import { UsageError } from "./usage.ts";

export interface Options {
  readonly settings: Settings;
  readonly json: boolean;
}

/** The command line of a command that takes options only. */
export function readOptions(command: CommandName, args: readonly string[]): Options {
  const { values, words } = readWords(command, args);
  if (words.length > 0) throw new UsageError(`gateway ${command} takes options only; "${words.join(" ")}" is none.`, command);
  return { settings: settingsFor(values), json: values.json !== undefined };
}

export interface FolderOptions {
  readonly settings: Settings;
  readonly folder: string;
}

/** The command line of a command that works on one folder. */
export function readFolderOptions(command: CommandName, args: readonly string[]): FolderOptions {
  const { values, words } = readWords(command, args);
  const [folder, ...more] = words;
  if (folder === undefined || folder === "" || more.length > 0) throw new UsageError(`gateway ${command} takes one folder.`, command);
  return { settings: settingsFor(values), folder };
}

/** The command line of a command that has one thing to do, which is said all the same. */
export function readVerb(command: CommandName, args: readonly string[], verb: string): Options {
  const { values, words } = readWords(command, args);
  if (words.length !== 1 || words[0] !== verb)
    throw new UsageError(`gateway ${command} knows one thing to do: gateway ${command} ${verb}`, command);
  return { settings: settingsFor(values), json: false };
}

interface Given {
  readonly profile?: readonly (string | true)[];
}

/** The command line over the environment: `--profile` wins over GATEWAY_PROFILE. */
export function settingsFor({ profile }: Given): Settings {
  const named = profile?.at(-1);
  return readSettings({ ...process.env, ...(typeof named === "string" && { GATEWAY_PROFILE: named }) });
}

/** Options and words, as the command's help says that it takes them. */
export function readWords(command: CommandName, args: readonly string[]): CommandLine<Partial<typeof OPTIONS>> {
  const options = HELP_OF[command].options.map((name) => [name, OPTIONS[name]] as const);
  return readCommandLine(command, args, Object.fromEntries(options));
}
