import { type Caller, GatewayError, type Route } from "#contract";
import type { Acting } from "../kernel/audit/acting.ts";
import { askedBy } from "../kernel/audit/asked-by.ts";
import { actorOf, NOBODY, whoIs } from "../kernel/audit/audit.ts";
import { isHeld } from "../kernel/audit/refusals.ts";
import { callerKey } from "../kernel/secrets/caller-key.ts";
import type { Gateway } from "../pipeline/gateway.ts";
import { addressOf, type Server, timedId } from "../platform.ts";
import type { HeaderMap } from "./header-map.ts";
import { partsOf } from "./request-path.ts";
import { traceParentOf } from "./trace.ts";

/** A request to a plain route, as the audit log tells of it. */
export interface Audited {
  readonly request: Request;
  readonly headers: HeaderMap;
  readonly server: Server | undefined;
  readonly startedAt: number;
  /** Once that is known. */
  caller?: Caller | undefined;
}

const asked = ({ request, headers, server, startedAt }: Audited) => {
  const { pathname: path, search } = partsOf(request.url);
  const requestId = headers.get("x-gateway-trace-id") ?? traceParentOf(headers)?.trace ?? timedId(startedAt);
  return askedBy({ method: request.method, path, search, headers, requestId, address: server ? addressOf(server, request) : null });
};

/** Whose the writes of a route are. */
export const actingFor = (route: Route, audited: Audited): Acting => ({
  actor: audited.caller ? actorOf(audited.caller) : NOBODY,
  request: asked(audited),
  action: route.action || undefined,
  entries: 0,
});

/** For a public route that finds out who asks. */
export const actingAs =
  (by: Acting) =>
  ({ id, name }: { readonly id: string; readonly name: string }): void => {
    by.actor = { actor_type: "user", actor_id: id, actor_name: name, actor_role: null };
  };

/** A route that changes something, or shows a secret, leaves an entry, whether it wrote a record or not. */
export async function noteUnwritten(route: Route, by: Acting, { caller, params }: Named, gw: Gateway): Promise<void> {
  if (by.entries > 0 || caller === undefined || !leavesEntry(route)) return;
  const [, resource = route.tag, param] = OF_PATH.exec(route.path) ?? [];
  await gw.gen.stores.audit?.note(by, caller, { type: resource.replaceAll("-", "_"), id: params[param ?? ""] ?? null });
}
interface Named {
  readonly caller: Caller | undefined;
  readonly params: Readonly<Record<string, string>>;
}
/** What a path begins with, and the parameter behind it: `/admin/mails/:mailId`. */
const OF_PATH = /^\/(?:admin\/)?([^/:]+)(?:\/:(\w+))?/;
export const leavesEntry = ({ plane, method, action }: Pick<Route, "plane" | "method" | "action">): boolean =>
  action === undefined ? plane !== "data" && method !== "GET" : action !== false;

/** Who is refused on the control and admin planes is told to the audit log before anybody else. */
export async function noteRefusal(thrown: unknown, plane: Route["plane"], audited: Audited, gw: Gateway): Promise<void> {
  const { audit } = gw.gen.stores;
  if (!audit || plane === "data" || !GatewayError.is(thrown) || (thrown.status !== 401 && thrown.status !== 403)) return;
  const key = callerKey(audited.headers, audited.headers.get("x-gateway-api-key") ?? undefined, gw.gen.keyHeaders) || undefined;
  const caller = audited.caller ? whoIs(audited.caller) : null;
  await audit.refused({ caller, key, request: asked(audited), status: thrown.status, isHeld: isHeld(thrown) });
}
