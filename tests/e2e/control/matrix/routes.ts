/** The route table of the running server, as its API document tells it, and one harmless way to ask each. */
import type { Json } from "../../endpoints/api.ts";
import { ask } from "../../process.ts";

export interface Listed {
  readonly method: string;
  /** With `{parameters}`. */
  readonly path: string;
  readonly scopes: readonly string[];
  readonly hasBody: boolean;
  readonly queries: readonly string[];
}
export const nameOf = ({ method, path }: Listed): string => `${method} ${path}`;

interface Described {
  readonly "x-scopes"?: readonly string[];
  readonly requestBody?: unknown;
  readonly parameters?: readonly { readonly in: string; readonly name: string }[];
}
type Paths = Readonly<Record<string, Readonly<Record<string, Described>>>>;
/** Every route that asks for a key. */
export async function routesOf(base: string): Promise<readonly Listed[]> {
  const { json } = await ask(`${base}/openapi.json`, "GET", null);
  return Object.entries(json["paths"] as unknown as Paths).flatMap(([path, item]) =>
    Object.entries(item).flatMap(([method, { "x-scopes": scopes = [], requestBody, parameters = [] }]) => {
      const queries = parameters.filter((one) => one.in === "query").map(({ name }) => name);
      return scopes.length === 0 ? [] : [{ method: method.toUpperCase(), path, scopes, hasBody: requestBody !== undefined, queries }];
    }),
  );
}

/** A query that no route takes: it is refused after it is known who may ask, and nothing happens. */
const HARMLESS = "?zz_unknown=1";
/** From elsewhere: to who sits at the machine some tell more. */
const ELSEWHERE = { "x-forwarded-for": "203.0.113.9" };
export type Verdict = "unknown" | "forbidden" | "let in";
export async function verdict(base: string, { method, path, hasBody }: Listed, key: string): Promise<Verdict> {
  const url = base + path.replace(/\{[\w-]+\}/g, () => crypto.randomUUID()) + HARMLESS;
  const body: Json | undefined = hasBody && method !== "GET" ? {} : undefined;
  const { status, text } = await ask(url, method, key, body, ELSEWHERE);
  if (status === 401) return "unknown";
  return status === 403 && /lacks the scope|belongs to somebody who is|reaches the whole deployment/.test(text) ? "forbidden" : "let in";
}
