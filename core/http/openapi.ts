import type { TSchema } from "@sinclair/typebox";
import { ConfigBody, type Dialect, ErrorBody, type Json, type OperationName, type Passing, PREFIX, type Route } from "#contract";
import type { Generation, MountedRoute } from "../kernel/generation.ts";
import { offlineChat, offlineProvider } from "./offline-chat.ts";
import { type Grouped, introduction } from "./openapi-introduction.ts";
import { CONDITION_PARAMETERS } from "./openapi-conditions.ts";
import { withExamples } from "./openapi-examples.ts";
import { headerParameters, type Item, operationItem, routeItems } from "./openapi-items.ts";
import { probeItems } from "./openapi-probes.ts";
import { schemaCollector } from "./openapi-schema.ts";
import { SECURITY, SECURITY_SCHEMES } from "./openapi-security.ts";
import { PLANES } from "./planes.ts";

/** What the document is made from; a running generation has it. */
export interface Documented {
  readonly operations: ReadonlyMap<OperationName, MountedRoute>;
  readonly routes: readonly Route[];
  /** What a config may be, with the members of the plugins. */
  readonly config: { schema(): TSchema };
  /** The examples name one that answers offline. */
  readonly providers?: Generation["providers"];
  readonly dialects?: ReadonlyMap<string, Dialect>;
  readonly passing?: Passing | undefined;
  readonly keyHeaders?: readonly string[];
}
export interface DocumentInfo {
  readonly title: string;
  readonly version: string;
}

/** The OpenAPI 3.1 document of everything that is mounted. */
export function openapi(gen: Documented, info: DocumentInfo): Json {
  const schemas = schemaCollector(new Map([[ConfigBody.$id, gen.config.schema()]]));
  const offline = gen.providers && offlineChat(gen.providers);
  const chats = servedByChat(gen);
  const items: readonly Item[] = [
    ...[...gen.operations.values()].map((route) =>
      operationItem(
        route,
        schemas.add,
        gen.providers && (offlineFor(route, gen.providers) ?? (chats.has(route.row.id) ? offline?.provider : undefined)),
      ),
    ),
    ...gen.routes.flatMap((route) => routeItems(route, schemas.add)),
    ...probeItems(schemas.add),
  ];
  const error = schemas.add(ErrorBody);
  const grouped = tagsByPlane(items);
  const description = introduction(grouped, { offline, passing: gen.passing, keyHeaders: gen.keyHeaders ?? [] });
  return withExamples({
    openapi: "3.1.0",
    info: { ...info, license: LICENSE, description },
    servers: [{ url: "." }], // relative to where the document is read: a proxy may serve it below a path
    security: SECURITY.data,
    tags: tagsOf(items).map((name) => ({ name, description: whereOf(name, grouped) })),
    "x-tagGroups": [
      ...[...grouped].map(([plane, tags]) => ({ name: PLANES[plane].title, tags })), // an extension that the page shows
      { name: "Process", tags: tagsOf(items.filter(({ plane }) => plane === undefined)) },
    ],
    paths: pathsOf(items),
    components: {
      schemas: schemas.all(),
      parameters: { ...headerParameters(schemas.add), ...CONDITION_PARAMETERS },
      responses: {
        Error: {
          description: "What was attempted, on what, and what would be right.",
          content: { "application/json": { schema: error, example: ERROR } },
        },
      },
      securitySchemes: SECURITY_SCHEMES,
    },
  });
}

const LICENSE = { name: "Apache License 2.0", identifier: "Apache-2.0" };
const ERROR = {
  error: {
    message: "There is no route GET /v1/nothing. See /openapi.json for those there are.",
    type: "invalid_request_error",
    param: null,
    code: null,
  },
};
/** Which plane a tag's operations are in. */
function whereOf(tag: string, grouped: Grouped): string {
  const planes = [...grouped].filter(([, tags]) => tags.includes(tag)).map(([plane]) => `${PLANES[plane].title}, \`${PREFIX[plane]}\`.`);
  return planes.length > 0 ? planes.join(" ") : "Of the process itself.";
}

/** Answers it offline, or the operation that serves it. */
const offlineFor = ({ row, served }: MountedRoute, providers: Generation["providers"]): string | undefined =>
  offlineProvider(row.id, providers) ?? (served && offlineProvider(served.by, providers));

/** Operations that a provider of chat answers. */
function servedByChat({ dialects = new Map() }: Documented): ReadonlySet<OperationName> {
  const served = [...dialects.values()].filter((dialect) => dialect.served?.by === "chatComplete");
  return new Set<OperationName>(["chatComplete", ...served.flatMap(({ operation, streamedBy = operation }) => [operation, streamedBy])]);
}

const tagsOf = (items: readonly Item[]): string[] => [...new Set(items.map(({ tag }) => tag))].sort();
const tagsByPlane = (items: readonly Item[]): Grouped =>
  new Map(
    (["data", "control", "admin"] as const)
      .map((plane) => [plane, tagsOf(items.filter((item) => item.plane === plane))] as const)
      .filter(([, tags]) => tags.length > 0),
  );

function pathsOf(items: readonly Item[]): Json {
  const paths: Record<string, Json> = {};
  for (const { path, method, is } of items) paths[path] = { ...paths[path], [method]: is };
  return paths;
}
