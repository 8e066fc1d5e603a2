import { Elysia } from "elysia";
import { after, GatewayError, type MountedOperation } from "#contract";
import type { Generation } from "../kernel/generation.ts";
import { MemoryBudget, budgetOf } from "../kernel/process/memory-budget.ts";
import { type Gateway, gatewayOf } from "../pipeline/gateway.ts";
import type { Server } from "../platform.ts";
import { withAliases } from "./answer-aliases.ts";
import { allowedMethods, type ServedPath } from "./allowed-methods.ts";
import { Cors } from "./cors.ts";
import { errorResponse } from "../pipeline/stream/error-response.ts";
import { headerReader, refuseAmbiguous } from "./headers.ts";
import { type Mount, NO_PARAMS, type Params } from "./mount.ts";
import type { HttpSettings } from "./settings.ts";
import { belowOneBase } from "./one-base.ts";
import { operationMount } from "./operation-mount.ts";
import { withRoutersNames } from "./parameter-names.ts";
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
  /** Every route that the router answers. */
  readonly mounted: readonly { readonly method: string; readonly path: string }[];
}

export function serveGeneration(gen: Generation, settings: HttpSettings): Served {
  const { headers, ownKeys, now, log, redact, spools, stalledMs = STALLED_MS } = settings;
  const { memory = new MemoryBudget(budgetOf({ workers: 1 })) } = settings;
  const gateway = gatewayOf({ gen, headers, ownKeys, now, log, redact, memory, stalledMs, spools });
  const { mounted, routed } = routerOf({ gen, gateway, settings, read: headerReader(headers) });
  const fetch: Served["fetch"] = (request, server) =>
    isWhole(request) ? routed(request, server) : withoutHost(request, (whole) => routed(whole, server));
  const named = headers.prefixes.length > 1 ? aliased(fetch, withAliases(headers.prefixes)) : fetch;
  return {
    gateway,
    mounted,
    fetch: settings.cors && settings.cors.origins.length > 0 ? acrossOrigins(named, new Cors(settings.cors)) : named,
  };
}

/* ── what is mounted ─────────────────────────────────────────────────────────────────────────────────────────── */

interface Parts {
  readonly gen: Generation;
  readonly gateway: Gateway;
  readonly settings: HttpSettings;
  readonly read: ReturnType<typeof headerReader>;
}
/** An operation at one of its paths. */
interface OperationMount extends Mount {
  readonly row: MountedOperation;
}
interface Mounts {
  readonly operations: readonly OperationMount[];
  /** The planes' routes, each below every base where it is free. */
  readonly routes: readonly Mount[];
  /** Those that ask for no key. */
  readonly open: readonly Mount[];
}

function mountsOf({ gen, gateway, settings, read }: Parts): Mounts {
  const operations = [...gen.operations.values()].map(
    (route): OperationMount => ({ ...operationMount(route, gateway, read, settings), row: route.row }),
  );
  const own = gen.routes.map((route) => ({ route, mount: routeMount(route, gateway, read, settings) }));
  const canonical = own.map(({ mount }) => mount);
  const { isStopping = () => false, worker = null, redact } = settings;
  return {
    operations,
    routes: [...canonical, ...belowOneBase(own, [...operations, ...canonical])],
    open: publicRoutes(gen, gateway, { isStopping, worker, redact, read }).map(unambiguous),
  };
}

/** Finds what is mounted; what is not goes to the operation that takes any path, or is told which methods there are. */
function routerOf(parts: Parts): Pick<Served, "mounted"> & { readonly routed: Served["fetch"] } {
  const { gen, gateway, settings, read } = parts;
  const { operations, routes, open } = mountsOf(parts);
  const methodsAt = allowedMethods([...operations, ...routes, ...open]);
  const takesOrigins = (settings.cors?.origins.length ?? 0) > 0;
  const unknown = unambiguous({
    method: "ALL",
    path: "/*",
    run: (request, at) => notServed(request, methodsAt(at.pathname), at, takesOrigins),
  });
  const isMounted = (pathname: string): boolean => methodsAt(pathname) !== undefined;
  const passing = gen.passing && passingMount(gen.passing, gateway, { read, settings, isMounted });
  const other: Mount["run"] = (request, at) => passing?.(request, at) ?? unknown.run(request, at, NO_PARAMS);
  const slashed = operations.flatMap((mount) => withSlashes(mount, other));
  const mounts = [...joinedVerbs(slashed, unknown.run), ...routes, ...open];
  const servers = new WeakMap<Request, Server>(); // the router hands on the request alone
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } });
  const named = withRoutersNames(mounts);
  for (const { method, path, run } of named)
    app.route(method, path, ({ request, params }) => run(request, partsOf(request.url), paramsOf(params), servers.get(request)), {
      parse: "none",
    });
  app.all(unknown.path, ({ request }) => other(request, partsOf(request.url), NO_PARAMS));
  const direct = directly(mounts);
  const searched: Served["fetch"] = (request, server) => {
    if (server) servers.set(request, server);
    return app.fetch(request);
  };
  return {
    mounted: inOwnWords(app, mounts, named),
    routed: (request, server) => direct(request, server) ?? searched(request, server),
  };
}

/** What the router has, with the names that mounts give their parameters. */
function inOwnWords(app: Elysia, mounts: readonly Mount[], named: readonly Mount[]): Served["mounted"] {
  const nameOf = ({ method, path }: Pick<Mount, "method" | "path">): string => `${method} ${path}`;
  const own = new Map(named.map((mount, at) => [nameOf(mount), mounts[at]?.path]));
  return app.routes.map(({ method, path }) => ({ method, path: own.get(nameOf({ method, path })) ?? path }));
}

/** A last parameter that may hold slashes is what is left of the path, however long; where nothing is left, it is another path. */
function withSlashes({ row, ...mount }: OperationMount, other: Mount["run"]): readonly Mount[] {
  const name = row.slashes && /:(\w+)$/.exec(row.path)?.[1];
  if (!name) return [mount];
  const { run } = mount;
  const stem = mount.path.replace(/:\w+$/, "");
  const named: Mount["run"] = (request, at, params, server) => {
    const rest = decoded(at.pathname.slice(stem.length));
    return rest === "" ? other(request, at, params, server) : run(request, at, { [name]: rest }, server);
  };
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
  const verbs = served.verbs(method).map((verb) => `:${verb}`);
  const error =
    verbs.length > 0
      ? new GatewayError("VERB_UNKNOWN", { method, path, verbs: verbs.sort().join(", ") })
      : new GatewayError("METHOD_NOT_ALLOWED", { method, path, allowed, ...why });
  const response = errorResponse(error, plane, served.row);
  response.headers.set("allow", allowed);
  return response;
}
const NO_ORIGINS = "Pages of other origins may call it where an operator names their origins in CORS_ALLOWED_ORIGINS";
