import { type Static, Type } from "@sinclair/typebox";
import { type Caller, GatewayError, type Logger, refuseDeploymentScope, type RequestHeaders } from "#contract";
import { requireScope } from "../pipeline/identify.ts";
import { errorResponse } from "../pipeline/stream/error-response.ts";
import { answerable } from "../kernel/process/plugin-failure.ts";
import { timedId } from "../platform.ts";
import { type Observed, partsOf, Readiness, readinessOf } from "./readiness.ts";

/** The detail behind readiness: every part, its numbers, and how the process is doing. */
export const Status = Type.Composite([
  Readiness,
  Type.Object({
    version: Type.String({ description: "The gateway's version." }),
    uptime_seconds: Type.Integer({ description: "Since the process began." }),
    in_flight: Type.Integer({ description: "Requests under way." }),
    event_loop_lag_ms: Type.Number({ description: "How late a timer just came: what a request would have waited." }),
    memory_bytes: Type.Integer({ description: "Resident memory." }),
    parts: Type.Record(
      Type.String(),
      Type.Object({
        degraded: Type.Array(Type.String()),
        lacking: Type.Optional(Type.Array(Type.String())),
        detail: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      }),
      { description: "Every part that tells how it is doing, by name, with its numbers." },
    ),
  }),
]);
type Status = Static<typeof Status>;

/** The scope that also shows the deployment's plugins: an operator's. */
export const STATUS_SCOPE = "generations.list";

export interface OperatorAccess {
  /** The peer's address; `null` when it is not known. */
  readonly peer: string | null;
  readonly headers: RequestHeaders;
  identify(): Caller | Promise<Caller>;
}

export async function statusAnswer(observed: Observed, version: string): Promise<Response> {
  const status: Status = { ...readinessOf(observed), ...(await detailOf(observed, version)) };
  return Response.json(observed.redact(status));
}

/** Answers whoever is on this machine, and elsewhere an operator's key. */
export async function operatorsOnly(
  path: string,
  access: OperatorAccess,
  answer: () => Response | Promise<Response>,
  log: Logger,
): Promise<Response> {
  try {
    if (!isLocal(access)) requireOperator(await access.identify(), path);
    return await answer();
  } catch (thrown) {
    return errorResponse(answerable(thrown, { traceId: timedId(Date.now()), path }, log), "control");
  }
}

function requireOperator(caller: Caller, path: string): void {
  if (caller.dataPlaneOnly !== undefined) throw new GatewayError("PLANE_CLOSED", { why: caller.dataPlaneOnly });
  requireScope(caller, STATUS_SCOPE, `GET ${path}`);
  refuseDeploymentScope(caller, STATUS_SCOPE);
}

async function detailOf(observed: Observed, version: string): Promise<Omit<Status, keyof Static<typeof Readiness>>> {
  const parts: Status["parts"] = {};
  for (const [name, { degraded, lacking, detail }] of partsOf(observed))
    parts[name] = { degraded: [...degraded], ...(lacking && { lacking: [...lacking] }), ...(detail && { detail: { ...detail } }) };
  return {
    version,
    uptime_seconds: Math.round(process.uptime()),
    in_flight: observed.gen.inFlight,
    event_loop_lag_ms: await lagMs(),
    memory_bytes: process.memoryUsage.rss(),
    parts,
  };
}

/** Measured only when somebody looks. */
async function lagMs(): Promise<number> {
  const startedAt = performance.now();
  await new Promise((resolve) => setTimeout(resolve, TIMER_MS));
  return Math.max(0, Math.round((performance.now() - startedAt - TIMER_MS) * 10) / 10);
}
const TIMER_MS = 5;

/**
 * From this machine, directly and by its own name: what a proxy forwards comes from loopback too, and a page in a
 * browser here may have had its own name resolved to this address.
 */
export const isLocal = ({ peer, headers }: Pick<OperatorAccess, "peer" | "headers">): boolean =>
  peer !== null && LOOPBACK.test(peer) && LOCAL_NAME.test(headers.get("host") ?? "") && !isForwarded(headers);
const LOOPBACK = /^(127(\.\d{1,3}){3}|::1|::ffff:127(\.\d{1,3}){3})$/;
const LOCAL_NAME = /^(localhost|127(\.\d{1,3}){3}|\[::1\])(:\d+)?$/i;

function isForwarded(headers: RequestHeaders): boolean {
  let found = false;
  headers.forEach((_, name) => {
    found ||= FORWARDING.test(name);
  });
  return found;
}
/** What proxies add, each in its own way. */
const FORWARDING =
  /^(forwarded|via|x-forwarded(-.*)?|x-real-ip|x-client-ip|x-cluster-client-ip|x-original-.*|x-envoy-.*|cf-.*|true-client-ip|fastly-client-ip)$/i;
