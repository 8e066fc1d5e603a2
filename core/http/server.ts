import { Elysia } from "elysia";
import { after, GatewayError, type MountedOperation } from "#contract";
import type { Generation } from "../kernel/generation.ts";
import { MemoryBudget, budgetOf } from "../kernel/process/memory-budget.ts";
import { type Gateway, gatewayOf } from "../pipeline/gateway.ts";
import type { Server } from "../platform.ts";
import { withAliases } from "./answer-aliases.ts";
import { allowedMethods, type Mounted, type ServedPath } from "./allowed-methods.ts";
import { Cors } from "./cors.ts";
import { errorResponse } from "../pipeline/stream/error-response.ts";
import { headerReader, refuseAmbiguous } from "./headers.ts";
import { type Mount, NO_PARAMS, type Params } from "./mount.ts";
import type { HttpSettings } from "./settings.ts";
import { operationMount } from "./operation-mount.ts";
import { passingMount } from "./passing-mount.ts";
import { publicRoutes } from "./public.ts";
import { isWhole, partsOf, type UrlParts, withWholeUrl } from "./request-path.ts";
import { routeMount } from "./route-mount.ts";
import { joinedVerbs } from "./verbs.ts";

const STALLED_MS = 300_000;

/** One generation's routes. `fetch` counts requests in and out, so that the generation can be drained. */
export interface Served {
  fetch(request: Request, server?: Server): Response | Promise<Response>;
  readonly gateway: Gateway;
  /** Every route that the router answers, in its own words. */
  readonly mounted: readonly { readonly method: string; readonly path: string }[];
}

export function serveGeneration(gen: Generation, settings: HttpSettings): Served {
  const { headers, ownKeys, now, log, redact, spools, stalledMs = STALLED_MS } = settings;
  const { memory = new MemoryBudget(budgetOf({ workers: 1 })) } = settings;
  const read = headerReader(headers);
  const gateway = gatewayOf({ gen, headers, ownKeys, now, log, redact, memory, stalledMs, spools });
  const operations = [...gen.operations.values()].map((route) => ({
    row: route.row,
    mount: operationMount(route, gateway, read, settings),
  }));
  const routes = gen.routes.map((route) => routeMount(route, gateway, read, settings));
  const open = publicRoutes(gen, gateway, {
    isStopping: settings.isStopping ?? (() => false),
    worker: settings.worker ?? null,
    redact: settings.redact,
    read,
  }).map(unambiguous);
  const methodsAt = allowedMethods([...operations.map(({ row, mount }): Mounted => ({ ...mount, row })), ...routes, ...open]);
  const takesOrigins = (settings.cors?.origins.length ?? 0) > 0;
  const unknown = unambiguous({
    method: "ALL",
    path: "/*",
    run: (request, at) => notServed(request, methodsAt(at.pathname), at, takesOrigins),
  });
  const mounts = [
    ...joinedVerbs(
      operations.flatMap(({ row, mount }) => withSlashes(row, mount)),
      unknown.run,
    ),
    ...routes,
  ];
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } });
  for (const { method, path, run } of [...mounts, ...open]) {
    app.route(method, path, ({ request, params }) => run(request, partsOf(request.url), paramsOf(params)), { parse: "none" });
  }
  const isMounted = (pathname: string): boolean => methodsAt(pathname) !== undefined;
  const passing = gen.passing && passingMount(gen.passing, gateway, { read, settings, isMounted });
  app.all(unknown.path, ({ request }) => {
    const at = partsOf(request.url);
    return passing?.(request, at) ?? unknown.run(request, at, NO_PARAMS);
  });
  const direct = directly([...mounts, ...open]);
  const routed: Served["fetch"] = (request, server) => direct(request, server) ?? app.fetch(request);
  const fetch: Served["fetch"] = (request, server) =>
    isWhole(request) ? routed(request, server) : withoutHost(request, (whole) => routed(whole, server));
  const named = headers.prefixes.length > 1 ? aliased(fetch, withAliases(headers.prefixes)) : fetch;
  return {
    gateway,
    mounted: app.routes.map(({ method, path }) => ({ method, path })),
    fetch: settings.cors && settings.cors.origins.length > 0 ? acrossOrigins(named, new Cors(settings.cors)) : named,
  };
}

/** A last parameter that may hold slashes is what is left of the path, however long. */
function withSlashes({ slashes, path }: MountedOperation, mount: Mount): readonly Mount[] {
  const name = slashes && /:(\w+)$/.exec(path)?.[1];
  if (!name) return [mount];
  const { run } = mount;
  const stem = mount.path.replace(/:\w+$/, "");
  const named: Mount["run"] = (request, at, _params, server) =>
    run(request, at, { [name]: decoded(at.pathname.slice(stem.length)) }, server);
  return [mount.path, `${stem}*`].map((path) => ({ ...mount, path, run: named }));
}

/** The router gives none, against its type, for a path without parameters that ends in a slash. */
const paramsOf = (params: Params | undefined): Params => params ?? NO_PARAMS;

/** The router's own reading loses what is not encoded well. */
function decoded(value: string): string {
  try {
    return decodeURIComponent(value);
  } catch {
    return value; // a percent sign of its own
  }
}

const aliased =
  (fetch: Served["fetch"], withNames: (answer: Response) => Response): Served["fetch"] =>
  (request, server) =>
    after(fetch(request, server), withNames);

const acrossOrigins =
  (fetch: Served["fetch"], cors: Cors): Served["fetch"] =>
  (request, server) =>
    cors.preflight(request) ?? after(fetch(request, server), (answer) => cors.withOrigin(request, answer));

/** A request of which the runtime made no URL: routed by the path it would have had, or refused. */
function withoutHost(request: Request, routed: (request: Request) => Response | Promise<Response>): Response | Promise<Response> {
  try {
    return routed(withWholeUrl(request));
  } catch (thrown) {
    if (GatewayError.is(thrown)) return errorResponse(thrown, "data");
    throw thrown;
  }
}

/** Routes without path parameters are found by one look-up; what is not found here is the router's. */
function directly(mounts: readonly Mount[]): (request: Request, server: Server | undefined) => Response | Promise<Response> | undefined {
  const byPath = new Map<string, Map<string, Mount["run"]>>();
  for (const { method, path, run } of mounts)
    if (!/[:*]/.test(path)) byPath.set(path, (byPath.get(path) ?? new Map<string, Mount["run"]>()).set(method, run));
  return (request, server) => {
    const at = partsOf(request.url);
    return byPath.get(at.pathname)?.get(request.method)?.(request, at, NO_PARAMS, server);
  };
}

/** A public route reads no header, and is refused all the same what the others are. */
const unambiguous = (mount: Mount): Mount => ({
  ...mount,
  run: (request, at, params, server) => {
    try {
      refuseAmbiguous(request.headers);
    } catch (thrown) {
      return errorResponse(thrown as GatewayError, "control"); // the only thing that is thrown there
    }
    return mount.run(request, at, params, server);
  },
});

function notServed({ method, headers }: Request, served: ServedPath | undefined, { pathname }: UrlParts, takesOrigins: boolean): Response {
  const plane = pathname.startsWith("/v2") || pathname.startsWith("/admin") ? "control" : "data";
  const path = pathname.slice(0, 200);
  if (!served || served.methods.includes(method)) return errorResponse(new GatewayError("ROUTE_UNKNOWN", { method, path }), plane);
  const allowed = served.methods.join(", ");
  const why = method === "OPTIONS" && headers.has("origin") && !takesOrigins ? { why: NO_ORIGINS } : {};
  const response = errorResponse(new GatewayError("METHOD_NOT_ALLOWED", { method, path, allowed, ...why }), plane, served.row);
  response.headers.set("allow", allowed);
  return response;
}
const NO_ORIGINS = "Pages of other origins may call it where an operator names their origins in CORS_ALLOWED_ORIGINS";
