import { GatewayError, type Manifest } from "#contract";
import { SETTINGS, type Environment, type SettingRow } from "./settings.ts";

/*
 * Flags: switches of the whole deployment, set by environment variables. Which ones there are is the manifests' to say:
 * `flag` switches a plugin, `env` sets a member of its configuration.
 */

const WORDS: ReadonlyMap<string, boolean> = new Map([
  ["ON", true],
  ["TRUE", true],
  ["1", true],
  ["OFF", false],
  ["FALSE", false],
  ["0", false],
]);

/** What a word means, in any case; `undefined` for every other text. */
export const switched = (text: string): boolean | undefined => WORDS.get(text.trim().toUpperCase());

/** A variable that is a switch by its name. */
export const isFlag = (variable: string): boolean => /^[A-Z][A-Z0-9_]*_ENABLED$/.test(variable);

/** On unless it says OFF. A word that is neither throws SETTING_INVALID. */
export function isOn(variable: string, env: Environment): boolean {
  const value = env[variable]?.trim() ?? "";
  const on = value === "" ? true : switched(value);
  if (on === undefined) throw new GatewayError("SETTING_INVALID", { name: variable, value, why: "it must be ON or OFF" });
  return on;
}

/** Refuses a flag that is neither on nor off, also where the profile leaves out the plugin that would read it. */
export function judgeFlags({ flag, env: mapped = {} }: Manifest, env: Environment): void {
  const switches = flag?.when === "not-off" ? [flag.env] : [];
  for (const variable of [...switches, ...Object.keys(mapped).filter(isFlag)]) isOn(variable, env);
}

/** Flags that are set and that nothing of the deployment reads: whoever set one expects something that is not so. */
export function unreadFlags(env: Environment, manifests: readonly Manifest[], inProfile: ReadonlySet<string>): readonly string[] {
  const read = new Set([...Object.values<SettingRow>(SETTINGS).flatMap(namesOf), ...manifests.flatMap(variablesOf), ...inProfile]);
  return Object.keys(env)
    .filter((variable) => isFlag(variable) && (env[variable] ?? "").trim() !== "" && !read.has(variable))
    .sort();
}

/** What an operator is told about such a flag. */
export const UNREAD = "no plugin of this deployment reads it, so it switches nothing";

const namesOf = ({ env, also = [] }: SettingRow): readonly string[] => [env, ...also];
const variablesOf = ({ flag, env: mapped = {} }: Manifest): readonly string[] => [...(flag ? [flag.env] : []), ...Object.keys(mapped)];
