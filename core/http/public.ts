import { GatewayError } from "#contract";
import packageInfo from "../../package.json" with { type: "json" };
import type { Generation } from "../kernel/generation.ts";
import { entering, markOfOwner, whileOpen } from "../kernel/watchdog/marks.ts";
import { addressOf } from "../platform.ts";
import type { Gateway } from "../pipeline/gateway.ts";
import { errorResponse } from "./errors.ts";
import { metricsText } from "./metrics.ts";
import { openapi } from "./openapi.ts";
import { referencePage } from "./reference.ts";
import { Received } from "./received.ts";
import type { ReadHeaders } from "./headers.ts";
import { type Observed, readinessAnswer } from "./readiness.ts";
import type { Mount } from "./server.ts";
import { statusAnswer } from "./status.ts";

/** How the API describes itself. */
export const INFO = { title: "AI gateway", version: packageInfo.version };

/** What the public routes need besides the generation. */
export interface PublicParts {
  readonly isStopping: () => boolean;
  readonly redact: (value: unknown) => unknown;
  /** Reads the gateway's headers, and takes out what no client may send. */
  readonly read: ReadHeaders;
}

/** Routes that need no key (the detailed status: off this machine one): liveness, readiness, metrics and the API's own description. */
export function publicRoutes(gen: Generation, gateway: Gateway, { isStopping, redact, read }: PublicParts): readonly Mount[] {
  const observed: Observed = { gen, gateway, isStopping, redact };
  const status: Mount["run"] = (request, _at, _params, server) =>
    statusAnswer(observed, INFO.version, {
      peer: server ? addressOf(server, request) : null,
      headers: request.headers,
      identify() {
        const headers = new Received(request.headers);
        const { apiKey } = read(headers);
        return gateway.identify(headers, apiKey);
      },
    });
  const document = onceMade(() => openapi(gen, INFO));
  const documentText = onceMade(() => JSON.stringify(document()));
  const page = onceMade(() => referencePage(document()));
  return [
    get("/healthz", () => Response.json({ status: "ok" })),
    get("/readyz", () => readinessAnswer(observed)),
    get("/status", status),
    get(
      "/metrics",
      () => new Response(metricsText(gen, gateway), { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } }),
    ),
    get("/openapi.json", () => new Response(documentText(), { headers: { "content-type": "application/json" } })),
    ...consoleRoutes(gen),
    get("/docs", () => new Response(page(), { headers: { "content-type": "text/html; charset=utf-8" } })),
  ];
}

/** Made when it is first asked for, once in a generation: it takes longer than a request may. */
function onceMade<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => (made ??= { value: make() }).value;
}

const get = (path: string, run: Mount["run"]): Mount => ({ method: "GET", path, run });

/** The console's assets, when a console plugin runs. */
function consoleRoutes({ console: served }: Generation): readonly Mount[] {
  if (!served) return [];
  const mark = markOfOwner(served);
  const asset: Mount["run"] = async (_request, _at, params) => {
    entering(mark);
    const found = await whileOpen(mark, Promise.resolve(served.asset(params["*"] ?? "")));
    return found ? new Response(found) : errorResponse(new GatewayError("NOT_FOUND", { what: "such page of the console" }), "control");
  };
  return [get(served.mount, asset), get(`${served.mount}/*`, asset)];
}
