import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import type { TSchema } from "@sinclair/typebox";
import { Value } from "@sinclair/typebox/value";
import type { Json } from "#contract";

/** What a provider wants to know of a target, made ready once. */
export interface TargetSchema {
  readonly fields: readonly Field[];
  /** Names of the fields that are credentials. */
  readonly secrets: readonly string[];
  /** Names of the fields that decide which model is asked. */
  readonly asks: readonly string[];
  /** What every target begins with; only read. */
  readonly defaults: Json;
  /** The defaults alone are a valid target. */
  readonly complete: boolean;
  readonly check: TypeCheck<TSchema>;
}
export interface Field {
  readonly name: string;
  readonly header: string;
  /** Decides where a credential goes or whom it stands for. */
  readonly bound: boolean;
  /** The plain header in which the vendor's own client says it. */
  readonly clientHeader: string | null;
}
const compiled = new WeakMap<TSchema, TargetSchema>();

export const compiledSchema = (schema: TSchema): TargetSchema => compiled.get(schema) ?? compile(schema);

function compile(schema: TSchema): TargetSchema {
  const check = TypeCompiler.Compile(schema);
  const defaults: Json = Object.freeze(Value.Default(schema, {}) as Json); // a target schema is an object schema
  const properties = (schema["properties"] ?? {}) as Readonly<Record<string, TSchema>>; // a provider's target is an object schema
  const fields = Object.entries(properties).map(([name, property]) => ({
    name,
    header: name.replaceAll("_", "-"),
    bound: property["bound"] === true || property["secret"] === true,
    clientHeader: typeof property["clientHeader"] === "string" ? property["clientHeader"].toLowerCase() : null,
  }));
  const secrets = Object.keys(properties).filter((name) => properties[name]?.["secret"] === true);
  const asks = Object.keys(properties).filter((name) => properties[name]?.["asks"] === true);
  const made: TargetSchema = { fields, secrets, asks, defaults, complete: check.Check(defaults), check };
  compiled.set(schema, made);
  return made;
}

/** Names of a target's fields that are credentials. */
export const secretFieldsOf = (schema: TSchema): readonly string[] => compiledSchema(schema).secrets;

/** Names of a target's fields that decide which model is asked. */
export const askingFieldsOf = (schema: TSchema): readonly string[] => compiledSchema(schema).asks;
