import { Elysia } from "elysia";
import {
  type Call,
  DATA_PLANE_SCOPE,
  GatewayError,
  type HeaderClasses,
  type Json,
  type Logger,
  type OperationId,
  type OperationRoute,
  operation,
  type RequestHeaders,
  type Route,
  tenantOf,
} from "#contract";
import { isLoop } from "../egress/loop.ts";
import { type Server, timedId } from "../platform.ts";
import type { Generation } from "../kernel/generation.ts";
import type { OwnKeys } from "../kernel/own-keys.ts";
import { type Held, MemoryBudget, budgetOf } from "../kernel/memory-budget.ts";
import { entering, markOfOwner } from "../kernel/watchdog/marks.ts";
import { type Gateway, gatewayOf } from "../pipeline/gateway.ts";
import { requireScope } from "../pipeline/identify.ts";
import { PLUGIN_LIMITS, type PluginLimits, pluginAnswer } from "../pipeline/in-time.ts";
import { handle } from "../pipeline/pipeline.ts";
import { refused } from "../pipeline/settle.ts";
import type { Spools } from "../pipeline/spool/spools.ts";
import { withAliases } from "./answer-aliases.ts";
import { type BodyLimits, bodyOf, isLateBody } from "./body.ts";
import { CONTROL_BODY_BYTES, CONTROL_VALUES } from "./json-shape.ts";
import { errorResponse } from "./errors.ts";
import { bodyCheck } from "./first-fault.ts";
import { headerReader, type ReadHeaders, refuseAmbiguous } from "./headers.ts";
import { PREFIX } from "./openapi.ts";
import { plainAnswer } from "./plain-answer.ts";
import { publicRoutes } from "./public.ts";
import { isWhole, partsOf, type UrlParts, withWholeUrl } from "./request-path.ts";
import { Received } from "./received.ts";
import { validator } from "./validate.ts";

export interface HttpSettings extends BodyLimits {
  /** What a header's name says of it, in this deployment. */
  readonly headers: HeaderClasses;
  /** Keys of the gateway, which never leave it. */
  readonly ownKeys: OwnKeys;
  readonly now: () => number;
  readonly log: Logger;
  readonly redact: (value: unknown) => unknown;
  /** This deployment's own id, for telling loops. */
  readonly gatewayId: string;
  /** The process was asked to end. */
  readonly isStopping?: () => boolean;
  /** Where records wait on disk while their store is away. */
  readonly spools?: Spools | undefined;
  /** What requests may hold in memory, together; the usual one unless given. */
  readonly memory?: MemoryBudget;
  /** The longest a client may take nothing of its answer; STALLED_MS unless given. */
  readonly stalledMs?: number;
  /** PLUGIN_LIMITS unless a test says so. */
  readonly pluginLimits?: PluginLimits;
}

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
  const mounts = [
    ...[...gen.operations.values()].map((route) => operationMount(route, gateway, read, settings)),
    ...gen.routes.map((route) => routeMount(route, gateway, read, settings)),
  ];
  const open = publicRoutes(gen, gateway, {
    isStopping: settings.isStopping ?? (() => false),
    redact: settings.redact,
    read,
  });
  const app = new Elysia({ normalize: false, handler: { standardHostname: false } });
  for (const { method, path, run } of [...mounts, ...open.map(unambiguous)]) {
    app.route(method, path, ({ request, params }) => run(request, partsOf(request.url), params), { parse: "none" });
  }
  const unknown = unambiguous({ method: "ALL", path: "/*", run: unknownRoute });
  app.all(unknown.path, ({ request }) => unknown.run(request, partsOf(request.url), NO_PARAMS));
  const direct = directly([...mounts, ...open.map(unambiguous)]);
  const routed: Served["fetch"] = (request, server) => direct(request, server) ?? app.fetch(request);
  const fetch: Served["fetch"] = (request, server) =>
    isWhole(request) ? routed(request, server) : withoutHost(request, (whole) => routed(whole, server));
  return {
    gateway,
    mounted: app.routes.map(({ method, path }) => ({ method, path })),
    fetch: headers.prefixes.length > 1 ? aliased(fetch, withAliases(headers.prefixes)) : fetch,
  };
}

const aliased =
  (fetch: Served["fetch"], withNames: (answer: Response) => Response): Served["fetch"] =>
  (request, server) => {
    const answer = fetch(request, server);
    return answer instanceof Promise ? answer.then(withNames) : withNames(answer);
  };

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
const NO_PARAMS: Params = Object.freeze({});

type Params = Readonly<Record<string, string>>;
/** A method and path with what answers it. */
export interface Mount {
  readonly method: string;
  readonly path: string;
  readonly run: (request: Request, at: UrlParts, params: Params, server?: Server) => Response | Promise<Response>;
}

/* ── data-plane operations ───────────────────────────────────────────────────────────────────────────────────── */

function operationMount(route: OperationRoute, gw: Gateway, read: ReadHeaders, settings: HttpSettings): Mount {
  const row = operation(route.operation);
  const accept = route.body && row.body === "json" ? bodyCheck(route.body) : undefined;
  return {
    method: row.method,
    path: PREFIX.data + row.path,
    run: (request, at, params) => {
      const leave = gw.gen.enter();
      const held = gw.memory.hold();
      const startedAt = settings.now();
      const door: Door = {
        request,
        headers: new Received(request.headers),
        at,
        operation: route.operation,
        params,
        startedAt,
        id: timedId(startedAt),
      };
      try {
        refuseAmbiguous(door.headers);
        if (isLoop(door.headers, settings.gatewayId)) throw new GatewayError("LOOP_DETECTED");
        for (const name in params) refuseSteps(name, params[name] ?? "");
        const call = beginning(door, read(door.headers));
        return handle(
          { call, leave, held, read: () => bodyOf(request, door.headers, row, settings, accept, held) },
          gw,
          settings.pluginLimits,
        );
      } catch (thrown) {
        return refused(thrown, { call: beginning(door, NO_CONTROL), caller: null, plan: null, leave, held }, gw);
      }
    },
  };
}

/** An id that would climb in the provider's own paths, however it was encoded. */
function refuseSteps(name: string, value: string): void {
  if (/(^|[\\/])\.\.?([\\/]|$)/.test(value))
    throw new GatewayError("REQUEST_INVALID", { what: `The path parameter ${name} may not hold . or .. as a step.` }, { param: name });
}

/** What is known of a request before its headers are read. */
interface Door {
  readonly request: Request;
  readonly headers: Received;
  readonly at: UrlParts;
  readonly operation: OperationId;
  readonly params: Params;
  readonly startedAt: number;
  readonly id: string;
}

function beginning({ request, headers, at, operation: name, params, startedAt, id }: Door, control: Call["control"]): Call {
  return {
    id,
    operation: name,
    method: request.method,
    path: at.pathname.slice(PREFIX.data.length),
    params,
    search: at.search,
    headers,
    control,
    traceId: traceOf(control.traceId, headers) ?? id,
    body: NO_BODY,
    startedAt,
    signal: request.signal,
  };
}
const NO_CONTROL: Call["control"] = Object.freeze({ rest: {} });
const NO_BODY: Call["body"] = Object.freeze({ kind: "none" });

/** The trace the client named, in our header or in W3C's `traceparent`. */
function traceOf(own: string | undefined, headers: RequestHeaders): string | undefined {
  if (own !== undefined) return own;
  const parent = headers.get("traceparent");
  return parent === null ? undefined : /^[0-9a-f]{2}-([0-9a-f]{32})-[0-9a-f]{16}-[0-9a-f]{2}$/.exec(parent)?.[1];
}

/* ── plain routes: control plane, admin plane, and some of the data plane ───────────────────────────────────── */

function routeMount(route: Route, gw: Gateway, read: ReadHeaders, settings: HttpSettings): Mount {
  const limitMs = (settings.pluginLimits ?? PLUGIN_LIMITS).route;
  const scopes = typeof route.scope === "object" && "public" in route.scope ? undefined : scopesFor(route.plane, route.scope);
  const mark = markOfOwner(route);
  const acceptBody = route.body && validator(route.body);
  const maxJsonBytes = Math.min(route.maxBodyBytes ?? CONTROL_BODY_BYTES, settings.maxJsonBytes);
  const limits: BodyLimits = { ...settings, maxJsonBytes, maxValues: CONTROL_VALUES };
  const acceptQuery = route.query && validator(route.query, { text: true });
  const handleRoute = async (request: Request, params: Readonly<Record<string, string>>, held: Held): Promise<unknown> => {
    const headers = new Received(request.headers);
    refuseAmbiguous(headers);
    const caller = scopes && (await gw.identify(headers, read(headers).apiKey));
    if (caller) held.tenant = tenantOf(caller);
    if (caller) requireOpen(route.plane, caller.dataPlaneOnly);
    if (caller && scopes) requireScope(caller, scopes, `${route.method} ${PREFIX[route.plane]}${route.path}`);
    const query = acceptQuery ? acceptQuery(Object.fromEntries(new URL(request.url).searchParams)) : {};
    const body = acceptBody ? acceptBody(await sentBody(request, limits, held)) : undefined;
    entering(mark);
    // `caller` is absent on public routes only, and those do not read it.
    const handled = route.handle({ body, query, params, caller: caller as NonNullable<typeof caller>, request, now: settings.now() });
    return pluginAnswer(handled, limitMs, () => `behind ${route.method} ${PREFIX[route.plane]}${route.path}`, mark);
  };
  return {
    method: route.method,
    path: PREFIX[route.plane] + route.path,
    run: async (request, _, params) => {
      const leave = gw.gen.enter();
      const held = gw.memory.hold();
      const end = (): void => {
        held.release();
        leave();
      };
      try {
        const startedAt = settings.now();
        const answer = await handleRoute(request, params, held);
        return plainAnswer(answer, { request, startedAt, held, gateway: gw, end });
      } catch (thrown) {
        end();
        const response = errorResponse(known(thrown, request, settings.log), route.plane);
        if (isLateBody(thrown)) response.headers.set("connection", "close"); // the rest of it is not waited for
        return response;
      }
    },
  };
}

/** A route of the data plane is open to who holds all of that plane, too. */
const scopesFor = (plane: Route["plane"], scope: string | readonly string[]): readonly string[] =>
  plane === "data" ? [scope, DATA_PLANE_SCOPE].flat() : [scope].flat();

/** A policy may keep a caller on the data plane, whatever its scopes. */
function requireOpen(plane: Route["plane"], why: string | undefined): void {
  if (why !== undefined && plane !== "data") throw new GatewayError("PLANE_CLOSED", { why });
}

async function sentBody(request: Request, limits: BodyLimits, held: Held): Promise<Json> {
  if (request.headers.get("content-length") === "0" || request.body === null) return {};
  const body = await bodyOf(request, request.headers, { body: "json" }, limits, undefined, held);
  return body.kind === "json" ? body.value : {};
}

function known(thrown: unknown, request: Request, log: Logger): GatewayError {
  if (GatewayError.is(thrown)) return thrown;
  log("error", "request failed inside", { method: request.method, path: partsOf(request.url).pathname, why: thrown });
  return new GatewayError("INTERNAL", {}, { cause: thrown });
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

function unknownRoute(request: Request, { pathname }: UrlParts): Response {
  const plane = pathname.startsWith("/v2") || pathname.startsWith("/admin") ? "control" : "data";
  return errorResponse(new GatewayError("ROUTE_UNKNOWN", { method: request.method, path: pathname.slice(0, 200) }), plane);
}
