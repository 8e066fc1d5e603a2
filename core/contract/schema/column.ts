import { Kind, type TNull, type TSchema, type TUnion, Type, TypeRegistry } from "@sinclair/typebox";
import { GatewayError } from "../errors.ts";

/* Building blocks of record schemas. A record member is one of these, so that every backend can give it a column. */

export const Uuid = (description: string) => Type.String({ format: "uuid", description });
/** Milliseconds since the epoch; the wire shows ISO 8601. */
export const Timestamp = (description: string) => Type.Integer({ minimum: 0, description, column: "bigint" });
export type TNullable<S extends TSchema> = TUnion<[S, TNull]>;
export const Nullable = <S extends TSchema>(schema: S): TNullable<S> => Type.Union([schema, Type.Null()]);
/** One of these words. */
export const OneOf = <const W extends readonly string[]>(words: W, options: { default?: W[number]; description: string }) =>
  Type.Unsafe<W[number]>({ [Kind]: "OneOf", type: "string", enum: [...words], ...options });
// TypeBox validates a schema of its own making only when its kind is registered.
TypeRegistry.Set<{ enum: string[] }>("OneOf", (schema, value) => typeof value === "string" && schema.enum.includes(value));
/** Any JSON object. */
export const JsonObject = (description: string) => Type.Record(Type.String(), Type.Unknown(), { description });

/** The members every record has. */
export const Stamps = {
  id: Uuid("Id."),
  created_at: Timestamp("When it was made."),
  last_updated_at: Timestamp("When it was last written."),
};

/** `2026-11-20T21:57:00.000Z` */
export function isoTime(ms: number): string {
  if (ms !== written.ms) written = { ms, text: new Date(ms).toISOString() };
  return written.text;
}
/** Many things happen in one millisecond. */
let written = { ms: 0, text: new Date(0).toISOString() };

/** The wire form of a `Timestamp`. */
export const DateTime = (description: string) => Type.String({ format: "date-time", description });

/** A moment the client names, in milliseconds; it must lie ahead. */
export function futureTime(text: string, now: number, param: string): number {
  const ms = Date.parse(text);
  if (ms > now) return ms;
  throw new GatewayError("REQUEST_INVALID", { what: `The member ${param} is ${text}, which is not in the future.` }, { param });
}
