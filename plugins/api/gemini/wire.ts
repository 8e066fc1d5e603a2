import { isJson, type Json } from "#contract";
import { object } from "../content/wire.ts";

export { object, objects, text } from "../content/wire.ts";

/** What a table has under a name from outside. */
export const entry = <T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined =>
  typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined;

const camel = (name: string): string => name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());

/** An object of this wire by its members' names: they may be written as `inlineData` or as `inline_data`. */
export function named(value: unknown): Json {
  const json = object(value);
  const isNamed = Object.keys(json).every((name) => !name.includes("_"));
  return isNamed ? json : Object.fromEntries(Object.entries(json).map(([name, member]) => [camel(name), member]));
}
export const namedAll = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson).map(named) : NONE);
const NONE: readonly Json[] = [];
