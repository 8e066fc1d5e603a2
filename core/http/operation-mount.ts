import {
  type Body,
  type Call,
  DATA_PREFIX,
  GatewayError,
  type Json,
  type MaybePromise,
  type MountedOperation,
  PASSING,
  wholePath,
} from "#contract";
import { validator } from "../json/validate.ts";
import type { MountedRoute } from "../kernel/generation.ts";
import type { Gateway } from "../pipeline/gateway.ts";
import { handle } from "../pipeline/pipeline.ts";
import { refused } from "../pipeline/settle/settle.ts";
import type { Upgrade } from "../pipeline/open-session.ts";
import { type Server, timedId, upgrade } from "../platform.ts";
import { type BodyReading, bodyOf } from "./body.ts";
import { bodyCheck } from "./first-fault.ts";
import { type ReadHeaders, refuseAmbiguous } from "./headers.ts";
import type { Mount, Params } from "./mount.ts";
import { type KeylessQuery, withoutKey } from "./query-key.ts";
import { withoutSocketKey } from "./socket-key.ts";
import { withPath } from "./said-in-path.ts";
import { inSpan, traceParentOf } from "./trace.ts";
import type { HttpSettings } from "./settings.ts";
import { HeaderMap } from "./header-map.ts";
import type { UrlParts } from "./request-path.ts";

/** An operation of the data plane: what a request's head says is read here, its body when the pipeline asks for it. */
export function operationMount(route: MountedRoute, gw: Gateway, read: ReadHeaders, settings: HttpSettings): Mount {
  const { row } = route;
  const json = row.body === "json" ? route.body : route.json;
  const reading: BodyReading = {
    kind: row.body,
    orJson: route.json !== undefined,
    optional: row.bodyOptional === true,
    limits: settings,
    accept: json && bodyCheck(json),
  };
  const acceptQuery = route.query && validator(route.query, { text: true });
  return {
    method: row.method,
    path: wholePath(row, row.path),
    run: (request, at, params, server) => {
      const leave = gw.gen.enter();
      const held = gw.memory.hold();
      const startedAt = settings.now();
      const headers = new HeaderMap(request.headers);
      const keyless = keylessOf(row, headers, at.search);
      const start: RequestStart = {
        request,
        headers,
        at: keyless ? { pathname: at.pathname, search: keyless.search } : at,
        row,
        params,
        startedAt,
        id: timedId(startedAt),
      };
      try {
        const call = judgedCall(start, read, settings, keyless?.key);
        const readBody = (): MaybePromise<Body> => {
          if (call.search !== "") acceptQuery?.(queryOf(call.search));
          return withPath(bodyOf(request, start.headers, reading, held), row, params);
        };
        const upgrade = row.socket && server ? upgrading(server, request) : undefined;
        return handle({ call, leave, held, read: readBody, upgrade }, gw, settings.pluginLimits);
      } catch (thrown) {
        return refused(thrown, { call: beginning(start, NO_CONTROL), caller: null, plan: null, leave, held }, gw);
      }
    },
  };
}

/** The query without the key that may be in it, where clients of this operation say it there. */
function keylessOf({ prefix, messages }: MountedOperation, headers: HeaderMap, search: string): KeylessQuery | undefined {
  if (messages?.key) return withoutSocketKey(headers, search, messages.key);
  return prefix === undefined ? undefined : withoutKey(search);
}
const upgrading =
  (server: Server, request: Request): Upgrade =>
  (headers, listener) =>
    upgrade(server, request, headers, listener);

/** The provider is asked with the query as it came; this is what its schema judges. */
const queryOf = (search: string): Json => Object.fromEntries(new URLSearchParams(search));
/** A key of the query counts where the header for it says none. */
const withKey = (control: Call["control"], key: string | undefined): Call["control"] =>
  key === undefined || control.apiKey !== undefined ? control : { ...control, apiKey: key };

/** An id that would climb in the provider's own paths, however it was encoded. */
function refuseSteps(name: string, value: string): void {
  if (/(^|[\\/])\.\.?([\\/]|$)/.test(value))
    throw new GatewayError("REQUEST_INVALID", { what: `The path parameter ${name} may not hold . or .. as a step.` }, { param: name });
}

/** The call that a request begins, when nothing is wrong with its headers and path; `key` is one that its query says. */
export function judgedCall(start: RequestStart, read: ReadHeaders, settings: HttpSettings, key?: string): Call {
  const { headers, params } = start;
  refuseAmbiguous(headers);
  if (settings.isLoop(headers)) throw new GatewayError("LOOP_DETECTED");
  for (const name in params) refuseSteps(name, params[name] ?? "");
  return beginning(start, withKey(read(headers), key));
}

/** What is known of a request before its headers are read. */
export interface RequestStart {
  readonly request: Request;
  readonly headers: HeaderMap;
  readonly at: UrlParts;
  readonly row: MountedOperation;
  readonly params: Params;
  readonly startedAt: number;
  readonly id: string;
}

export function beginning({ request, headers, at, row, params, startedAt, id }: RequestStart, control: Call["control"]): Call {
  const parent = control.traceId === undefined ? traceParentOf(headers) : undefined;
  return {
    id,
    operation: row.passes === undefined ? row.id : PASSING,
    row,
    method: request.method,
    path: at.pathname.slice((row.prefix ?? DATA_PREFIX).length),
    params,
    search: at.search,
    headers,
    control: parent ? inSpan(control, parent, request.method, at.pathname) : control,
    traceId: control.traceId ?? parent?.trace ?? id,
    body: NO_BODY,
    startedAt,
    signal: request.signal,
  };
}
export const NO_CONTROL: Call["control"] = Object.freeze({ rest: {} });
const NO_BODY: Call["body"] = Object.freeze({ kind: "none" });
