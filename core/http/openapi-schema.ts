import type { TSchema } from "@sinclair/typebox";
import { isJson, type Json } from "#contract";

/** Words of our own schemas that mean nothing to a reader of the document. */
const OURS: ReadonlySet<string> = new Set(["$id", "column", "secret", "bound", "asks", "clientHeader"]);
const at = (id: string): Json => ({ $ref: `#/components/schemas/${id}` });

/** A member with a default may be left out: it is required of nobody, though the type that is inferred always has it. */
function requiredOf({ required, properties }: Json): Json {
  if (!Array.isArray(required) || !isJson(properties)) return {};
  const isRequired = (name: string): boolean => !isJson(properties[name]) || !("default" in properties[name]);
  const left = required.filter((name) => isRequired(String(name)));
  return { required: left.length > 0 ? left : undefined };
}

/**
 * Turns TypeBox schemas into the document's: those with an `$id` stand once under components and are referred to.
 * `whole` are what some of them look like once the plugins run, by their `$id`.
 */
export function schemaCollector(whole: ReadonlyMap<unknown, TSchema> = new Map()): { add(schema: TSchema): unknown; all(): Json } {
  const found = new Map<string, unknown>();
  const plain = (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(plain);
    if (!isJson(value)) return value;
    if (typeof value["$ref"] === "string") return at(value["$ref"]);
    const id = value["$id"];
    if (typeof id !== "string") return members(value);
    if (!found.has(id)) {
      found.set(id, undefined); // a schema that holds itself must find its place taken
      found.set(id, members(whole.get(id) ?? value));
    }
    return at(id);
  };
  const members = (schema: Json): Json =>
    Object.fromEntries(
      Object.entries({ ...schema, ...requiredOf(schema) })
        .filter(([name, value]) => !OURS.has(name) && value !== undefined)
        .map(([name, value]) => [name, name === "properties" ? properties(value) : plain(value)]),
    );
  // Below `properties` the names are the client's, not ours.
  const properties = (value: unknown): unknown =>
    isJson(value) ? Object.fromEntries(Object.entries(value).map(([name, schema]) => [name, plain(schema)])) : value;
  return { add: plain, all: () => Object.fromEntries(found) };
}
