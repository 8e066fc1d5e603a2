import type { TSchema } from "@sinclair/typebox";
import {
  type Examples,
  HEADERS,
  type HeaderRow,
  isJson,
  type Json,
  type Operation,
  type Plane,
  PREFIX,
  type Route,
  wholePath,
} from "#contract";
import type { MountedRoute } from "../kernel/generation.ts";
import { answerHeaders, conditionErrors, conditionParameters, notModified } from "./openapi-conditions.ts";
import { SECURITY } from "./openapi-security.ts";

/** One method of one path, as the document describes it. */
export interface Item {
  readonly path: string;
  readonly method: string;
  readonly tag: string;
  /** None: a route of the process itself. */
  readonly plane?: Plane;
  readonly is: Json;
}
/** Puts a schema into the document, and gives what stands in its place. */
export type Add = (schema: TSchema) => unknown;

const BODY_TYPE: Readonly<Record<Operation["body"], string | undefined>> = {
  json: "application/json",
  form: "multipart/form-data",
  none: undefined,
};
const DATA_ERRORS = [400, 401, 403, 408, 412, 429, 446, 500, 502, 503] as const;
const HEADER_ROWS: readonly HeaderRow[] = Object.values(HEADERS);
const wireName = ({ name }: HeaderRow): string => `x-gateway-${name}`;

/** `offline` is the provider that answers the examples without an account. */
export function operationItem(route: MountedRoute, add: Add, offline: string | undefined): Item {
  const { row } = route;
  const type = BODY_TYPE[row.body];
  const reply = add(route.reply);
  const content = {
    [replyType(route.reply)]: { schema: reply },
    ...(row.streams && { "text/event-stream": { schema: { type: "string" } } }),
  };
  return {
    path: shownPath(wholePath(row, row.path)),
    method: row.method.toLowerCase(),
    tag: row.tag,
    plane: "data",
    is: {
      operationId: row.id,
      tags: [row.tag],
      summary: row.summary,
      description: withScopes(route.description, [row.scope]),
      "x-scopes": [row.scope],
      parameters: [
        ...pathParameters(row.path, route.exampleParams),
        ...queryParameters(route.query, add),
        ...headersOf(route.examples, offline, add),
      ],
      ...(type && operationBody(type, route, add)),
      responses: row.socket
        ? { 101: { description: "A WebSocket to the provider: messages go both ways." }, ...errorResponses([...DATA_ERRORS, 426, 501]) }
        : { 200: { description: "The provider's answer.", content }, ...errorResponses(DATA_ERRORS) },
    },
  };
}

/** Bytes are no JSON. */
const replyType = ({ type, format }: TSchema): string =>
  type === "string" && format === "binary" ? "application/octet-stream" : "application/json";

/** Where a parameter of the path is one of few words, there is a path for each. */
export function routeItems(route: Route, add: Add): readonly Item[] {
  const [named, ...others] = Object.entries(route.words ?? {});
  if (!named) return [routeItem(route, add)];
  const [name, words] = named;
  const rest = Object.fromEntries(others);
  return words.flatMap((word) => routeItems({ ...route, path: route.path.replace(`/:${name}`, `/${word}`), words: rest }, add));
}

function routeItem(route: Route, add: Add): Item {
  const scopes = typeof route.scope === "object" && "public" in route.scope ? [] : [route.scope].flat();
  return {
    path: pathOf(route.plane, route.path),
    method: route.method.toLowerCase(),
    tag: route.tag,
    plane: route.plane,
    is: {
      operationId: idOf(route),
      tags: [route.tag],
      summary: route.summary,
      description: withScopes(route.description, scopes),
      ...(scopes.length === 0 ? { security: [] } : { security: SECURITY[route.plane], "x-scopes": scopes }),
      parameters: [...pathParameters(route.path), ...queryParameters(route.query, add), ...conditionParameters(route)],
      ...(route.body && requestBody(mediaType("application/json", add(route.body), route.examples))),
      responses: {
        200: { description: "Done.", ...answerHeaders(route), content: { "application/json": { schema: add(route.reply) } } },
        ...notModified(route),
        ...errorResponses([...(route.errors ?? []), ...conditionErrors(route)]),
      },
    },
  };
}

/** A form that may come as JSON has its examples there. */
function operationBody(type: string, { row, body, json, examples }: MountedRoute, add: Add): Json {
  const schema = body ? add(body) : { type: "object" };
  if (!json) return requestBody(mediaType(type, schema, examples), row.bodyOptional !== true);
  return requestBody({ ...mediaType(type, schema), ...mediaType("application/json", add(json), examples) });
}

const requestBody = (content: Json, required = true): Json => ({ requestBody: { required, content } });
function mediaType(type: string, schema: unknown, examples?: Examples): Json {
  const shown = named(examples);
  return { [type]: { schema, ...(shown.length > 0 && { examples: Object.fromEntries(shown) }) } };
}
const named = (examples: Examples = {}) =>
  Object.entries(examples).map(([summary, value]) => [summary.toLowerCase().replace(/[^a-z0-9]+/g, "-"), { summary, value }] as const);

/** `/guardrails/:guardrailId` -> `/v2/guardrails/{guardrailId}` */
const pathOf = (plane: Plane, path: string): string => shownPath(PREFIX[plane] + path);
const shownPath = (path: string): string => path.replace(PARAMETER, "/{$1}");
/** A verb behind a parameter is none. */
const PARAMETER = /\/:([\w-]+)/g;
/** `postV2ApiKeysSubType` */
const idOf = ({ method, plane, path }: Route): string =>
  method.toLowerCase() +
  pathOf(plane, path)
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
/** The description, and who may ask: a page shows no member of our own. */
const withScopes = (description: string | undefined, scopes: readonly string[]): string =>
  [description, scopes.length === 0 ? "No key is needed." : `Scope: ${scopes.map((scope) => `\`${scope}\``).join(" or ")}.`]
    .filter((part) => part !== undefined)
    .join("\n\n");
const described = (description: string | undefined) => description !== undefined && { description };

const pathParameters = (path: string, shown: Readonly<Record<string, string>> = {}): Json[] =>
  [...path.matchAll(PARAMETER)].map(([, name = ""]) => ({
    name,
    in: "path",
    required: true,
    schema: { type: "string" },
    ...(Object.hasOwn(shown, name) && { example: shown[name] }),
  }));

function queryParameters(schema: TSchema | undefined, add: Add): Json[] {
  const properties: unknown = schema?.["properties"];
  if (!isJson(properties)) return [];
  const required: readonly unknown[] = Array.isArray(schema?.["required"]) ? schema["required"] : [];
  return Object.entries(properties).map(([name, property]) => ({
    name,
    in: "query",
    required: required.includes(name),
    ...described(descriptionOf(property)),
    schema: add(property as TSchema), // a member of an object schema
  }));
}
const descriptionOf = (schema: unknown): string | undefined =>
  isJson(schema) && typeof schema["description"] === "string" ? schema["description"] : undefined;

const errorResponses = (statuses: readonly number[]): Json =>
  Object.fromEntries(statuses.map((status) => [status, { $ref: "#/components/responses/Error" }]));

/** The gateway's own headers, once for all operations. */
export const headerParameters = (add: Add): Json =>
  Object.fromEntries(HEADER_ROWS.map((row) => [wireName(row), headerParameter(row, add)]));

const headerParameter = (row: HeaderRow, add: Add): Json => ({
  name: wireName(row),
  in: "header",
  required: false,
  ...described(descriptionOf(row.schema)),
  schema: add(row.schema),
});

/** An operation's headers; where its examples are answered offline, they come with the provider that does. */
function headersOf(examples: Examples | undefined, offline: string | undefined, add: Add): Json[] {
  const values = named(examples).map(([key]) => [key, { value: offline, "x-disabled": false }]); // else the page leaves it out, as what may be
  const provider = { ...headerParameter(HEADERS.provider, add), examples: Object.fromEntries(values) };
  return HEADER_ROWS.map((row) =>
    row === HEADERS.provider && offline !== undefined && values.length > 0
      ? provider
      : { $ref: `#/components/parameters/${wireName(row)}` },
  );
}
