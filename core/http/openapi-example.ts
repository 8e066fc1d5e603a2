import { EXAMPLE_BY_FORMAT, EXAMPLE_BY_NAME, isJson, type Json } from "#contract";

/** Finds a schema that stands once in the document. */
export type Find = (ref: string) => Json;
/** How many levels of members that may be left out are filled in. */
const FILLED_LEVELS = 2;
/** What a schema that holds itself ends at. */
const MAX_LEVELS = 12;

/** Texts that patterns may ask for. */
const TEXTS = ["example", "example-1", "eu-west-1", "1", "active", "default", "GET", "a", "A1b2".repeat(12)];

/** A value that the schema accepts, and that reads like the real thing; `undefined` where there is none to be thought of. */
export const exampleOf = (schema: Json, find: Find, of: "body" | "answer"): unknown => new Examples(find, of === "body").of(schema, "", 0);

class Examples {
  constructor(
    private readonly find: Find,
    private readonly isBody: boolean,
  ) {}

  of(schema: Json, name: string, level: number): unknown {
    if (level > MAX_LEVELS) return undefined;
    if (typeof schema["$ref"] === "string") return this.of(this.find(schema["$ref"]), name, level + 1);
    if (Array.isArray(schema["examples"])) return schema["examples"][0];
    if ("const" in schema) return schema["const"];
    if (Array.isArray(schema["enum"])) return schema["enum"][0];
    if ("default" in schema && schema["default"] !== null) return schema["default"];
    for (const word of ["anyOf", "oneOf"])
      if (Array.isArray(schema[word])) return this.ofAny(schema, schema[word].filter(isJson), name, level);
    if (Array.isArray(schema["allOf"])) return this.ofAll(schema["allOf"].filter(isJson), name, level);
    return this.ofType(schema, name, level);
  }
  /** The first that there is a value of, beside what stands beside them. */
  private ofAny(schema: Json, alternatives: readonly Json[], name: string, level: number): unknown {
    const beside = schema["properties"] ? this.ofObject(schema, level) : undefined;
    const found = alternatives.map((one) => this.of(one, name, level + 1)).find((value) => value !== undefined && value !== null);
    if (isJson(beside)) return { ...beside, ...(isJson(found) && found) };
    return found ?? (alternatives.some(({ type }) => type === "null") ? null : undefined);
  }
  private ofAll(parts: readonly Json[], name: string, level: number): unknown {
    const values = parts.map((part) => this.of(part, name, level + 1));
    return values.every(isJson) ? Object.assign({}, ...values) : values[0];
  }
  private ofType(schema: Json, name: string, level: number): unknown {
    const type = Array.isArray(schema["type"]) ? schema["type"][0] : schema["type"];
    if (type === "object" || schema["properties"]) return this.ofObject(schema, level);
    if (type === "array") return this.ofArray(schema, name, level);
    if (type === "string") return textOf(schema, name);
    if (type === "integer" || type === "number") return numberOf(schema, name);
    if (type === "boolean") return true;
    return type === "null" ? null : (namedValue(name) ?? {});
  }
  private ofArray(schema: Json, name: string, level: number): unknown {
    const item = isJson(schema["items"]) ? this.of(schema["items"], name.replace(/s$/, ""), level + 1) : undefined;
    if (item !== undefined) return Array.from({ length: Math.max(1, Number(schema["minItems"] ?? 1)) }, () => item);
    return schema["minItems"] ? undefined : [];
  }
  /** What must be there, and of what may be there as much as a reader takes in. */
  private ofObject(schema: Json, level: number): unknown {
    const required = new Set(Array.isArray(schema["required"]) ? schema["required"] : []);
    const properties = Object.entries(isJson(schema["properties"]) ? schema["properties"] : {}).flatMap(([name, shape]) =>
      isJson(shape) ? [[name, shape] as const] : [],
    );
    const isShown = ([name, shape]: readonly [string, Json]): boolean =>
      required.has(name) || (level < FILLED_LEVELS && isPlain(shape) && !(this.isBody && isReference(shape)));
    const shown = properties.some(isShown) ? properties.filter(isShown) : properties.slice(0, level === 0 ? 1 : 0);
    const members = shown.map(([name, shape]) => [name, this.of(shape, name, level + 1)] as const);
    if (members.some(([name, value]) => value === undefined && required.has(name))) return undefined;
    return Object.fromEntries(members.filter(([, value]) => value !== undefined));
  }
}

/** A text, a number or a switch with words of its own; not one that means something else beside others. */
const isPlain = ({ type, anyOf }: Json): boolean =>
  ["string", "integer", "number", "boolean"].includes(String(type)) ||
  (Array.isArray(anyOf) && anyOf.filter(isJson).every((one) => isPlain(one) || one["type"] === "null"));

/** What a body would refer to is the reader's own: a made-up id would be refused. */
const isReference = ({ format, anyOf }: Json): boolean =>
  format === "uuid" || (Array.isArray(anyOf) && anyOf.filter(isJson).some(isReference));

const namedValue = (name: string): unknown => EXAMPLE_BY_NAME[name]?.[0];

function textOf(schema: Json, name: string): string | undefined {
  const format = EXAMPLE_BY_FORMAT[String(schema["format"])];
  if (format !== undefined) return schema["format"] === "date-time" ? String(namedValue(name) ?? format) : format;
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY, pattern } = schema;
  const expression = typeof pattern === "string" ? new RegExp(pattern, "u") : undefined;
  const isRight = (text: unknown): text is string =>
    typeof text === "string" && text.length >= Number(minLength) && text.length <= Number(maxLength) && (expression?.test(text) ?? true);
  return [...(EXAMPLE_BY_NAME[name] ?? []), name.replaceAll("_", "-"), ...TEXTS, "x".repeat(Math.min(Number(minLength), 64))].find(isRight);
}

function numberOf(schema: Json, name: string): number {
  const { minimum = schema["exclusiveMinimum"] === undefined ? Number.NEGATIVE_INFINITY : Number(schema["exclusiveMinimum"]) + 1 } = schema;
  const { maximum = Number.POSITIVE_INFINITY } = schema;
  const given = EXAMPLE_BY_NAME[name]?.find((value) => typeof value === "number") ?? 1;
  return Math.min(Math.max(Number(given), Number(minimum)), Number(maximum));
}
