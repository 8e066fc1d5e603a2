import {
  DATA_PLANE_SCOPE,
  DEPLOYMENT_SCOPES,
  GatewayError,
  type Json,
  PREFIX,
  refuseDeploymentScope,
  type Route,
  tenantOf,
} from "#contract";
import { isReplay } from "../admin/idempotency.ts";
import type { Held } from "../kernel/process/memory-budget.ts";
import { entering, markOfOwner, nameOf } from "../kernel/process/watchdog/marks.ts";
import { acting } from "../kernel/audit/acting.ts";
import type { Gateway } from "../pipeline/gateway.ts";
import { actingAs, actingFor, type Audited, noteRefusal, noteUnwritten } from "./auditing.ts";
import { refuseUncompared } from "../admin/etag.ts";
import { requireScope } from "../pipeline/identify.ts";
import { answerable } from "../kernel/process/plugin-failure.ts";
import { timedId } from "../platform.ts";
import { PLUGIN_LIMITS, pluginAnswer } from "../kernel/process/plugin-answer.ts";
import { type BodyLimits, bodyOf } from "./body.ts";
import { errorResponse } from "../pipeline/stream/error-response.ts";
import { type ReadHeaders, refuseAmbiguous } from "./headers.ts";
import { CONTROL_BODY_BYTES, CONTROL_VALUES } from "../json/bounded.ts";
import type { Mount } from "./mount.ts";
import { withoutPath } from "./path-in-body.ts";
import type { HttpSettings } from "./settings.ts";
import { plainAnswer } from "./plain-answer.ts";
import { HeaderMap } from "./header-map.ts";
import { queryMembers } from "./query-members.ts";
import { partsOf } from "./request-path.ts";
import { validator } from "../json/validate.ts";

/** A plain route: of the control plane, the admin plane, and some of the data plane. */
export function routeMount(route: Route, gw: Gateway, read: ReadHeaders, settings: HttpSettings): Mount {
  const limitMs = (settings.pluginLimits ?? PLUGIN_LIMITS).route;
  const scopes = typeof route.scope === "object" && "public" in route.scope ? undefined : scopesFor(route.plane, route.scope);
  const ofDeployment = scopes?.find((scope) => DEPLOYMENT_SCOPES.includes(scope));
  const mark = markOfOwner(route);
  const acceptBody = route.body && validator(route.body);
  const unrepeated = withoutPath(route);
  const maxJsonBytes = Math.min(route.maxBodyBytes ?? CONTROL_BODY_BYTES, settings.maxJsonBytes);
  const limits: BodyLimits = { ...settings, maxJsonBytes, maxValues: CONTROL_VALUES, ...(route.bodyList && { lists: true }) };
  const acceptQuery = route.query && validator(route.query, { text: true });
  const handleRoute = async (
    audited: Audited,
    params: Readonly<Record<string, string>>,
    { held, answerHeaders }: Answered,
  ): Promise<unknown> => {
    const { request, headers } = audited;
    refuseAmbiguous(headers);
    const known = scopes && (await gw.identify(headers, read(headers).apiKey));
    if (known) held.tenant = tenantOf(known);
    audited.caller = known;
    if (known) requireOpen(route.plane, known.dataPlaneOnly);
    const caller = known && (await gw.authorize(known));
    if (caller && scopes) requireScope(caller, scopes, `${route.method} ${PREFIX[route.plane]}${route.path}`);
    if (caller && ofDeployment !== undefined) refuseDeploymentScope(caller, ofDeployment);
    refuseUncompared(route, request);
    const query = acceptQuery && route.query ? acceptQuery(queryMembers(new URL(request.url).searchParams, route.query)) : {};
    const body = acceptBody ? acceptBody(unrepeated(await sentBody(request, limits, held), params)) : undefined;
    entering(mark);
    const by = actingFor(route, audited);
    const asked = { body, query, params, request, now: settings.now(), answerHeaders, actAs: actingAs(by) };
    const input = { ...asked, caller: caller as NonNullable<typeof caller> }; // absent on public routes only, which do not read it
    const answer = await acting(by, () =>
      pluginAnswer(route.handle(input), limitMs, () => `behind ${route.method} ${PREFIX[route.plane]}${route.path}`, mark),
    );
    if (!isReplay(answer)) await noteUnwritten(route, by, { caller, params }, gw);
    return answer;
  };
  return {
    method: route.method,
    path: PREFIX[route.plane] + route.path,
    run: async (request, _, params, server) => {
      const leave = gw.gen.enter();
      const held = gw.memory.hold();
      const end = (): void => {
        held.release();
        leave();
      };
      const startedAt = settings.now();
      const audited: Audited = { request, headers: new HeaderMap(request.headers), server, startedAt };
      try {
        const headers = new Headers();
        const answer = await handleRoute(audited, params, { held, answerHeaders: headers });
        return plainAnswer(answer, { request, startedAt, held, gateway: gw, headers, end });
      } catch (thrown) {
        await noteRefusal(thrown, route.plane, audited, gw);
        end();
        return errorResponse(answerable(thrown, failedAt(request, settings, nameOf(mark)), settings.log), route.plane, route);
      }
    },
  };
}

/** What an answer takes, in memory and in headers. */
interface Answered {
  readonly held: Held;
  readonly answerHeaders: Headers;
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
  const body = await bodyOf(request, request.headers, { kind: "json", limits }, held);
  return body.kind === "json" ? body.value : {};
}

function failedAt(request: Request, settings: HttpSettings, plugin: string) {
  return { traceId: timedId(settings.now()), plugin, method: request.method, path: partsOf(request.url).pathname };
}
