/** A JSON object whose members are not yet known; narrow it with a schema before use. */
export type Json = Record<string, unknown>;

/** Is this a JSON object (not null, not an array)? */
export const isJson = (value: unknown): value is Json => typeof value === "object" && value !== null && !Array.isArray(value);
