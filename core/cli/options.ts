import { parseArgs } from "node:util";
import { messageOf } from "#contract";
import { readSettings, type Settings } from "../kernel/settings/settings.ts";
import { UsageError } from "./help.ts";

export interface Options {
  readonly settings: Settings;
  readonly json: boolean;
}

export function readOptions(args: readonly string[]): Options {
  const { values } = parsed(args, false);
  return { settings: settingsFor(values), json: values.json ?? false };
}

export interface FolderOptions {
  readonly settings: Settings;
  readonly folder: string;
}

/** The command line of a command that works on one folder. */
export function readFolderOptions(command: string, args: readonly string[]): FolderOptions {
  const { values, positionals } = parsed(args, true);
  const [folder, ...more] = positionals;
  if (folder === undefined || folder === "" || more.length > 0) throw new UsageError(`gateway ${command} takes one folder.`);
  return { settings: settingsFor(values), folder };
}

interface Given {
  readonly profile?: string | undefined;
  readonly json?: boolean | undefined;
}

/** The command line over the environment: `--profile` wins over GATEWAY_PROFILE. */
const settingsFor = ({ profile }: Given): Settings =>
  readSettings({ ...process.env, ...(profile !== undefined && { GATEWAY_PROFILE: profile }) });

function parsed(args: readonly string[], allowPositionals: boolean): { readonly values: Given; readonly positionals: readonly string[] } {
  try {
    return parseArgs({
      args: [...args],
      options: { profile: { type: "string" }, json: { type: "boolean" } },
      strict: true,
      allowPositionals,
    });
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}
