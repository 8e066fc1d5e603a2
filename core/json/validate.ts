import type { Static, TSchema } from "@sinclair/typebox";
import { TypeCompiler } from "@sinclair/typebox/compiler";
import { Value } from "@sinclair/typebox/value";
import { GatewayError, isJson, type Json } from "#contract";
import { defaulter } from "./defaults.ts";
import { firstProblem, type Problem } from "./shape.ts";

/** Judges a value; answers with a copy that has its defaults, or throws REQUEST_INVALID naming the member. */
export type Validator<T> = (value: unknown) => T;

/**
 * A validator, compiled once when its route is mounted. `text: true` is for query strings, where every value
 * arrives as text and is read as what the schema says.
 */
export function validator<S extends TSchema>(schema: S, options: { readonly text?: boolean } = {}): Validator<Static<S>> {
  const compiled = TypeCompiler.Compile(schema);
  const fill = defaulter(schema);
  return (value) => {
    const full = fill(options.text && isJson(value) ? fromText(schema, value) : value);
    if (compiled.Check(full)) return full;
    throw invalid(schema, full);
  };
}

/** What the text of a query member means; text that is not that stays text, and is refused by the check. */
const READ: Readonly<Record<string, (text: string) => unknown>> = {
  integer: number,
  number,
  boolean: (text) => ({ true: true, false: false })[text] ?? text,
};
function number(text: string): unknown {
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}
function fromText(schema: TSchema, query: Json): Json {
  const properties = isJson(schema["properties"]) ? schema["properties"] : {};
  const read = (name: string, value: unknown): unknown => {
    const member = Object.hasOwn(properties, name) ? properties[name] : undefined;
    return isJson(member) && typeof value === "string" ? (READ[String(member["type"])]?.(value) ?? value) : value;
  };
  return Object.fromEntries(Object.entries(query).map(([name, value]) => [name, read(name, value)]));
}

function invalid(schema: TSchema, value: unknown): GatewayError {
  const { path, why } = problemIn(schema, value);
  if (path === ROOT) return new GatewayError("REQUEST_INVALID", { what: `The request is not valid: ${why}.` });
  return new GatewayError("REQUEST_INVALID", { what: `The member ${path} is not valid: ${why}.` }, { param: path });
}

/** The path of a problem with the whole. */
export const ROOT = "(root)";
function problemIn(schema: TSchema, value: unknown): Problem {
  const error = Value.Errors(schema, value).First();
  const variant = error && meant(error.schema, error.value);
  if (variant) {
    const inner = problemIn(variant, error.value);
    const at = error.path.slice(1).replaceAll("/", ".");
    const steps = [at, inner.path === ROOT ? "" : inner.path].filter((step) => step !== "");
    return { path: steps.length === 0 ? ROOT : indexed(steps.join(".").replaceAll(".[", "[")), why: inner.why };
  }
  const problem = firstProblem(schema, value);
  return problem ? { ...problem, path: indexed(problem.path) } : { path: ROOT, why: "it is not of the documented shape" };
}

/** `checks.0.id` -> `checks[0].id` */
export const indexed = (path: string): string => path.replace(/(?:^|\.)(\d+)(?=[.[]|$)/g, "[$1]");

/** The one variant of a union that a value of this kind can have meant: "not a union value" tells nobody anything. */
function meant(schema: TSchema, value: unknown): TSchema | undefined {
  const variants: readonly TSchema[] = Array.isArray(schema["anyOf"]) ? schema["anyOf"] : [];
  const others = variants.filter((variant) => variant["type"] !== "null");
  const kind = Array.isArray(value) ? "array" : typeof value;
  const ofKind = others.length > 1 ? others.filter((variant) => variant["type"] === kind) : others;
  return ofKind.length === 1 ? ofKind[0] : undefined;
}
