import { parseArgs } from "node:util";
import { messageOf } from "#contract";
import { readSettings, type Settings } from "../kernel/settings.ts";
import { UsageError } from "./help.ts";

export interface Options {
  readonly settings: Settings;
  readonly json: boolean;
}

/** The command line over the environment: `--profile` wins over GATEWAY_PROFILE. */
export function readOptions(args: readonly string[]): Options {
  const { profile, json } = parsed(args);
  return { settings: readSettings({ ...process.env, ...(profile !== undefined && { GATEWAY_PROFILE: profile }) }), json: json ?? false };
}

function parsed(args: readonly string[]): { profile?: string | undefined; json?: boolean | undefined } {
  try {
    return parseArgs({
      args: [...args],
      options: { profile: { type: "string" }, json: { type: "boolean" } },
      strict: true,
      allowPositionals: false,
    }).values;
  } catch (error) {
    throw new UsageError(messageOf(error));
  }
}
