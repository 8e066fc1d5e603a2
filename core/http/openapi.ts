import type { TSchema } from "@sinclair/typebox";
import {
  ConfigBody,
  ErrorBody,
  HEADERS,
  type HeaderRow,
  isJson,
  type Json,
  type Operation,
  type OperationName,
  type Plane,
  type Route,
} from "#contract";
import type { MountedRoute } from "../kernel/generation.ts";
import { probeItems } from "./openapi-probes.ts";
import { schemaCollector } from "./openapi-schema.ts";

/** What the document is made from; a running generation has it. */
export interface Documented {
  readonly operations: ReadonlyMap<OperationName, MountedRoute>;
  readonly routes: readonly Route[];
  /** What a config may be, with the members of the plugins. */
  readonly config: { schema(): TSchema };
}
export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
  readonly description?: string;
}
export const PREFIX: Readonly<Record<Plane, string>> = { data: "/v1", control: "/v2", admin: "/admin/v2" };

/** The OpenAPI 3.1 document of everything that is mounted. */
export function openapi(gen: Documented, info: DocumentInfo): Json {
  const schemas = schemaCollector(new Map([[ConfigBody.$id, gen.config.schema()]]));
  const items = [
    ...[...gen.operations.values()].map((route) => operationItem(route, schemas.add)),
    ...gen.routes.map((route) => routeItem(route, schemas.add)),
    ...probeItems(schemas.add),
  ];
  const error = schemas.add(ErrorBody);
  return {
    openapi: "3.1.0",
    info,
    servers: [{ url: "/" }],
    security: [{ bearer: [] }, { gatewayKey: [] }],
    tags: [...new Set(items.map(({ tag }) => tag))].sort().map((name) => ({ name })),
    paths: pathsOf(items),
    components: {
      schemas: schemas.all(),
      parameters: headerParameters(schemas.add),
      responses: {
        Error: { description: "What was attempted, on what, and what would be right.", content: { "application/json": { schema: error } } },
      },
      securitySchemes: {
        bearer: { type: "http", scheme: "bearer", description: "The gateway key as a bearer token." },
        gatewayKey: {
          type: "apiKey",
          in: "header",
          name: "x-gateway-api-key",
          description: "The gateway key; the bearer token is then the provider's own credential.",
        },
      },
    },
  };
}

interface Item {
  readonly path: string;
  readonly method: string;
  readonly tag: string;
  readonly is: Json;
}
type Add = (schema: TSchema) => unknown;

const BODY_TYPE: Readonly<Record<Operation["body"], string | undefined>> = {
  json: "application/json",
  form: "multipart/form-data",
  none: undefined,
};
const DATA_ERRORS = [400, 401, 403, 408, 412, 429, 446, 500, 502, 503] as const;
const HEADER_REFS = Object.values(HEADERS).map(({ name }) => ({ $ref: `#/components/parameters/x-gateway-${name}` }));

function operationItem(route: MountedRoute, add: Add): Item {
  const { row } = route;
  const type = BODY_TYPE[row.body];
  const reply = add(route.reply);
  const content = { "application/json": { schema: reply }, ...(row.streams && { "text/event-stream": { schema: { type: "string" } } }) };
  return {
    path: pathOf("data", row.path),
    method: row.method.toLowerCase(),
    tag: row.tag,
    is: {
      operationId: row.id,
      tags: [row.tag],
      summary: row.summary,
      ...described(route.description),
      "x-scopes": [row.scope],
      parameters: [...pathParameters(row.path), ...queryParameters(route.query, add), ...HEADER_REFS],
      ...(type && { requestBody: { required: true, content: { [type]: { schema: route.body ? add(route.body) : { type: "object" } } } } }),
      responses: { 200: { description: "The provider's answer.", content }, ...errorResponses(DATA_ERRORS) },
    },
  };
}

function routeItem(route: Route, add: Add): Item {
  const isPublic = typeof route.scope === "object" && "public" in route.scope;
  return {
    path: pathOf(route.plane, route.path),
    method: route.method.toLowerCase(),
    tag: route.tag,
    is: {
      operationId: idOf(route),
      tags: [route.tag],
      summary: route.summary,
      ...described(route.description),
      ...(isPublic ? { security: [] } : { "x-scopes": [route.scope].flat() }),
      parameters: [...pathParameters(route.path), ...queryParameters(route.query, add)],
      ...(route.body && { requestBody: { required: true, content: { "application/json": { schema: add(route.body) } } } }),
      responses: {
        200: { description: "Done.", content: { "application/json": { schema: add(route.reply) } } },
        ...errorResponses(route.errors ?? []),
      },
    },
  };
}

function pathsOf(items: readonly Item[]): Json {
  const paths: Record<string, Json> = {};
  for (const { path, method, is } of items) paths[path] = { ...paths[path], [method]: is };
  return paths;
}

/** `/guardrails/:guardrailId` -> `/v2/guardrails/{guardrailId}` */
const pathOf = (plane: Plane, path: string): string => PREFIX[plane] + path.replace(/:([\w-]+)/g, "{$1}");
/** `postV2ApiKeysSubType` */
const idOf = ({ method, plane, path }: Route): string =>
  method.toLowerCase() +
  pathOf(plane, path)
    .split(/[^A-Za-z0-9]+/)
    .filter(Boolean)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join("");
const described = (description: string | undefined) => description !== undefined && { description };

const pathParameters = (path: string): Json[] =>
  [...path.matchAll(/:([\w-]+)/g)].map(([, name]) => ({ name, in: "path", required: true, schema: { type: "string" } }));

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

function headerParameters(add: Add): Json {
  const rows: readonly HeaderRow[] = Object.values(HEADERS);
  const parameter = (name: string, schema: TSchema): Json => ({
    name,
    in: "header",
    required: false,
    ...described(descriptionOf(schema)),
    schema: add(schema),
  });
  return Object.fromEntries(rows.map(({ name, schema }) => [`x-gateway-${name}`, parameter(`x-gateway-${name}`, schema)]));
}
