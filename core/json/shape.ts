import { FormatRegistry, type TSchema } from "@sinclair/typebox";
import { type TypeCheck, TypeCompiler } from "@sinclair/typebox/compiler";
import { type ValueError, Value, ValueErrorType } from "@sinclair/typebox/value";
import { isJson, type Json, maskUrlIn, nearest } from "#contract";

/** What is wrong with a value, where (`plugins.cache.enabled`) and why, worded for the person who wrote it. */
export interface Problem {
  readonly path: string;
  readonly why: string;
}

const FORMATS: Readonly<Record<string, (value: string) => boolean>> = {
  uri: (value) => URL.canParse(value),
  uuid: (value) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i.test(value),
  "date-time": (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d/.test(value) && !Number.isNaN(Date.parse(value)),
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(value) && !Number.isNaN(Date.parse(value)),
  // Longer is no address (RFC 5321), and would be tried at each of its dots.
  email: (value) => value.length <= 320 && /^[^\s@]+@[^\s@]+\.[^\s@]+$/.test(value),
};
// Schemas name formats; TypeBox knows none of its own. A format registered elsewhere is left as it is.
for (const [name, test] of Object.entries(FORMATS)) if (!FormatRegistry.Has(name)) FormatRegistry.Set(name, test);

/** What is wrong with the value, as far as anybody reads it; empty when it is right. */
export function problems(schema: TSchema, value: unknown): readonly Problem[] {
  const seen = new Set<string>();
  const found: Problem[] = [];
  for (const error of errorsOf(schema, value)) {
    const path = dotted(error.path);
    if (seen.has(path)) continue; // the first message about a place is the telling one
    seen.add(path);
    found.push({ path, why: why(error, schema) });
    if (found.length === MOST_PROBLEMS) break;
  }
  return found;
}
const MOST_PROBLEMS = 20;
const MOST_ERRORS = 200;

/** The one to mend first: where a member is missing and another is known to nobody, its name was misspelt more often than not. */
export function firstProblem(schema: TSchema, value: unknown): Problem | undefined {
  const [first, ...others] = errorsOf(schema, value);
  if (!first) return undefined;
  const stray = isMissing(first) ? others.find((other) => isUnknown(other) && around(other) === around(first)) : undefined;
  const telling = stray ?? first;
  return { path: dotted(telling.path), why: why(telling, schema) };
}
const around = ({ path }: ValueError): string => path.slice(0, path.lastIndexOf("/"));

/** As many as anybody reads. */
function* errorsOf(schema: TSchema, value: unknown): Generator<ValueError> {
  let left = MOST_ERRORS;
  for (const error of Value.Errors(schema, value)) {
    if (left-- === 0) return;
    yield error;
    if (error.type === ValueErrorType.ArrayMaxItems) return; // the library would look at each of its items next
  }
}

/** Paths of members that an object schema does not name, where it does not say itself whether others may stand there. */
export function strayMembers(schema: TSchema, value: unknown): readonly string[] {
  const found: string[] = [];
  findStray(schema, value, "", found);
  return found;
}

function findStray(schema: TSchema, value: unknown, at: string, found: string[]): void {
  const { properties, items } = schema;
  if (Array.isArray(value) && isJson(items)) value.forEach((item, i) => findStray(items as TSchema, item, `${at}[${i}]`, found));
  if (!isJson(value) || !isJson(properties)) return;
  for (const [member, inner] of Object.entries(value)) {
    if (found.length === MOST_PROBLEMS) return;
    const path = at === "" ? member : `${at}.${member}`;
    if (Object.hasOwn(properties, member)) findStray(properties[member] as TSchema, inner, path, found);
    else if (schema.additionalProperties === undefined && !schema.patternProperties) found.push(path);
  }
}

/** A schema's own message inside a sentence; a pattern that it quotes keeps its capitals. */
export const lowered = (message: string): string => message.slice(0, 1).toLowerCase() + message.slice(1);

/** `/plugins/cache~1simple/enabled` -> `plugins.cache/simple.enabled` */
const dotted = (pointer: string): string =>
  pointer
    .slice(1)
    .split("/")
    .map((part) => part.replaceAll("~1", "/").replaceAll("~0", "~"))
    .join(".") || "(root)";

function why(error: ValueError, root: TSchema): string {
  const words = wordsOf(error.schema);
  if (words) return `it is ${quotedValue(error)} and must be one of ${words.join(", ")}`;
  if (isUnknown(error)) return `there is no such member; ${knownAt(root, error.path)}`;
  if (isMissing(error)) return "it is missing";
  if (error.message.startsWith("Expected"))
    return `it is ${quotedValue(error)}; ${error.message.replace("Expected", "expected")}${inWords(error)}`;
  return error.message;
}

/** A pattern is for machines; people are told what the member is. */
const inWords = ({ type, schema: { description } }: ValueError): string =>
  type === ValueErrorType.StringPattern && typeof description === "string" ? ` (${description.replace(/\.$/, "")})` : "";

/** The allowed words, when the schema is a choice of words. */
function wordsOf(schema: TSchema): readonly string[] | undefined {
  if (Array.isArray(schema.enum)) return schema.enum.map(String);
  const options: unknown = schema.anyOf;
  if (!Array.isArray(options)) return undefined;
  const literals = options.map((option: unknown) => (isJson(option) && "const" in option ? String(option.const) : undefined));
  return literals.every((literal) => literal !== undefined) ? literals : undefined;
}

const isUnknown = ({ message }: ValueError): boolean => message === "Unexpected property";
const isMissing = ({ message }: ValueError): boolean => message === "Expected required property";

/** What there is instead, and which of it was probably meant. */
function knownAt(root: TSchema, pointer: string): string {
  const names = membersAt(root, pointer);
  const meant = nearest(dotted(pointer).split(".").at(-1) ?? "", names);
  return `known are ${names.join(", ")}${meant === undefined ? "" : `, and ${meant} was probably meant`}`;
}

/** The members that the object around `pointer` may have. */
function membersAt(root: Json, pointer: string): readonly string[] {
  let schema: unknown = root;
  for (const part of pointer.split("/").slice(1, -1)) schema = child(schema, part);
  return isJson(schema) && isJson(schema.properties) ? Object.keys(schema.properties) : [];
}

function child(schema: unknown, part: string): unknown {
  if (!isJson(schema)) return undefined;
  if (isJson(schema.properties) && part in schema.properties) return schema.properties[part];
  if (isJson(schema.patternProperties)) return Object.values(schema.patternProperties)[0];
  return schema.items;
}

const LONGEST = 60;
/** A value that is short and no secret is shown; of the others, what kind of value it is. */
function quotedValue({ value, schema }: ValueError): string {
  if (value === undefined) return "missing";
  if (schema["secret"] === true) return "***";
  if (Array.isArray(value)) return "a list";
  if (typeof value === "string") return value.length > LONGEST ? `a text of ${value.length} characters` : `"${maskUrlIn(value)}"`;
  return isJson(value) ? "an object" : String(value);
}

/** Does a value fit? Compiled when it is first asked: most schemas never are. */
export function acceptor(schema: TSchema): (value: unknown) => boolean {
  let compiled: TypeCheck<TSchema> | undefined;
  return (value) => (compiled ??= TypeCompiler.Compile(schema)).Check(value);
}
