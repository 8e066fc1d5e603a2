import { Hint, Kind, OptionalKind, ReadonlyKind, type TSchema } from "@sinclair/typebox";
import { isJson } from "#contract";

/*
 * A TypeBox schema is JSON Schema whose objects also have symbols as members, which JSON would lose: they travel under names
 * that no JSON Schema has.
 */
const SYMBOLS = { "~kind": Kind, "~optional": OptionalKind, "~readonly": ReadonlyKind, "~hint": Hint } as const;

/** A schema as it travels. A function in it (a transform, say) is left out. */
export function writtenSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(writtenSchema);
  if (!isJson(schema)) return schema;
  const symbols = Object.entries(SYMBOLS).flatMap(([name, symbol]) => {
    const value = (schema as { readonly [member: symbol]: unknown })[symbol];
    return value === undefined ? [] : [[name, value] as const];
  });
  const members = Object.entries(schema).map(([name, value]) => [name, writtenSchema(value)] as const);
  return Object.fromEntries([...members, ...symbols]);
}

/** The schema that was written. */
export const readSchema = (written: unknown): TSchema => restored(written) as TSchema; // whoever uses it judges it

function restored(written: unknown): unknown {
  if (Array.isArray(written)) return written.map(restored);
  if (!isJson(written)) return written;
  const schema: Record<string | symbol, unknown> = {};
  for (const [name, value] of Object.entries(written)) {
    const symbol = Object.hasOwn(SYMBOLS, name) ? SYMBOLS[name as keyof typeof SYMBOLS] : undefined; // one of its own names
    schema[symbol ?? name] = symbol === undefined ? restored(value) : value;
  }
  return schema;
}
