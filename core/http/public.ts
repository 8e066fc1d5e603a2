import { GatewayError } from "#contract";
import packageInfo from "../../package.json" with { type: "json" };
import type { Generation } from "../kernel/generation.ts";
import { entering, markOfOwner, whileOpen } from "../kernel/process/watchdog/marks.ts";
import { addressOf, type Server } from "../platform.ts";
import type { Gateway } from "../pipeline/gateway.ts";
import { docsRoutes } from "./docs.ts";
import { errorResponse } from "../pipeline/stream/error-response.ts";
import { metricsText } from "./metrics.ts";
import { openapi } from "./openapi.ts";
import { PROBE_PATHS } from "./openapi-probes.ts";
import { HeaderMap } from "./header-map.ts";
import type { ReadHeaders } from "./headers.ts";
import { type Observed, readinessAnswer } from "./readiness.ts";
import type { Mount } from "./mount.ts";
import { onceMade } from "./once-made.ts";
import { type OperatorAccess, operatorsOnly, statusAnswer } from "./status.ts";

/** How the API describes itself. */
export const INFO = { title: "AI gateway", version: packageInfo.version };

/** What the public routes need besides the generation. */
export interface PublicParts {
  readonly isStopping: () => boolean;
  readonly worker: number | null;
  readonly redact: (value: unknown) => unknown;
  /** Reads the gateway's headers, and takes out what no client may send. */
  readonly read: ReadHeaders;
}

/** Routes that need no key (status and metrics: off this machine one): liveness, readiness and the API's own description. */
export function publicRoutes(gen: Generation, gateway: Gateway, { isStopping, worker, redact, read }: PublicParts): readonly Mount[] {
  const observed: Observed = { gen, gateway, isStopping, redact };
  const operators = (path: string, answer: () => Response | Promise<Response>): Mount =>
    get(path, (request, _at, _params, server) => operatorsOnly(path, accessOf(request, server, { gateway, read }), answer, gen.log));
  const documentText = onceMade(() => JSON.stringify(openapi(gen, INFO)));
  return [
    get(PROBE_PATHS.root, () => new Response(`${INFO.title} is running.`, { headers: { "content-type": "text/plain; charset=utf-8" } })),
    get(PROBE_PATHS.health, () => Response.json({ status: "success", version: INFO.version })),
    get(PROBE_PATHS.alive, () => Response.json({ status: "ok" })),
    get(PROBE_PATHS.ready, () => readinessAnswer(observed)),
    operators(PROBE_PATHS.status, () => statusAnswer(observed, INFO.version)),
    operators(PROBE_PATHS.metrics, () => new Response(metricsText(gen, gateway, worker), { headers: { "content-type": METRICS_TYPE } })),
    get("/openapi.json", () => new Response(documentText(), { headers: { "content-type": "application/json" } })),
    ...consoleRoutes(gen),
    ...docsRoutes(INFO),
  ];
}

/** Prometheus's text format. */
const METRICS_TYPE = "text/plain; version=0.0.4; charset=utf-8";

/** Who asks: judged only where it is not somebody on this machine. */
function accessOf(
  request: Request,
  server: Server | undefined,
  on: Pick<PublicParts, "read"> & { readonly gateway: Gateway },
): OperatorAccess {
  return {
    peer: server ? addressOf(server, request) : null,
    headers: request.headers,
    identify() {
      const headers = new HeaderMap(request.headers);
      const { apiKey } = on.read(headers);
      return on.gateway.identify(headers, apiKey);
    },
  };
}

const get = (path: string, run: Mount["run"]): Mount => ({ method: "GET", path, run });

/** The console's assets, when a console plugin runs. */
function consoleRoutes({ console: served }: Generation): readonly Mount[] {
  if (!served) return [];
  const mark = markOfOwner(served);
  const asset: Mount["run"] = async (_request, _at, params) => {
    entering(mark);
    const found = await whileOpen(mark, Promise.resolve(served.asset(params?.["*"] || "index.html"))); // the router gives none at the mount
    return found ? new Response(found) : errorResponse(new GatewayError("NOT_FOUND", { what: "such page of the console" }), "control");
  };
  return [get(served.mount, asset), get(`${served.mount}/*`, asset)];
}
