import { isJson, type Json } from "#contract";

/* Readers of JSON whose shape somebody else decides. */

/** A string that says something. */
export const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
/** An object, or an empty one. */
export const object = (value: unknown): Json => (isJson(value) ? value : EMPTY);
/** The objects of a list. */
export const objects = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : NONE);
/** What a table has under a name from outside. */
export const entry = <T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined =>
  typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined;

const EMPTY: Json = Object.freeze({});
const NONE: readonly Json[] = [];
