import { isJson, type Json } from "#contract";

/* Readers of JSON whose shape the provider decides. */

/** A string that says something. */
export const text = (value: unknown): string | undefined => (typeof value === "string" && value !== "" ? value : undefined);
/** A count of tokens; zero is a count. */
export const count = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) && value >= 0 ? value : undefined;
/** The objects of a list. */
export const objects = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : NONE);
/** An object, or an empty one. */
export const object = (value: unknown): Json => (isJson(value) ? value : EMPTY);
/** What a table has under a name from outside. */
export const entry = <T>(table: Readonly<Record<string, T>>, name: unknown): T | undefined =>
  typeof name === "string" && Object.hasOwn(table, name) ? table[name] : undefined;

// Most members asked for are absent from most chunks; what stands for them is only read.
const NONE: readonly Json[] = [];
const EMPTY: Json = Object.freeze({});
