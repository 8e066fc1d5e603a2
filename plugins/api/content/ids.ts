import { isJson, type Json } from "#contract";

/** The ids that one member names: a text, or a list of texts. */
export const idsIn = (value: unknown): readonly string[] =>
  typeof value === "string" ? [value] : Array.isArray(value) ? value.filter((id) => typeof id === "string") : [];

/** The objects of a list. */
export const objectsIn = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : []);

/** The objects of a list, each with its place among all. */
export function eachObject(value: unknown, see: (item: Json, index: number) => void): void {
  if (Array.isArray(value)) value.forEach((item: unknown, index) => isJson(item) && see(item, index));
}

/** A member that is an object; else one without members. */
export const objectIn = (from: Json, name: string): Json => (isJson(from[name]) ? from[name] : {});
