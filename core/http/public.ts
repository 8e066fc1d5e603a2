import { GatewayError, type Json } from "#contract";
import packageInfo from "../../package.json" with { type: "json" };
import type { Generation } from "../kernel/generation.ts";
import type { Gateway } from "../pipeline/gateway.ts";
import { errorResponse } from "./errors.ts";
import { metricsText } from "./metrics.ts";
import { openapi } from "./openapi.ts";
import { referencePage } from "./reference.ts";
import type { Mount } from "./server.ts";

/** How the API describes itself. */
export const INFO = { title: "AI gateway", version: packageInfo.version };

/** Routes that need no key: liveness, readiness, metrics and the API's own description. */
export function publicRoutes(gen: Generation, gateway: Gateway): readonly Mount[] {
  let made: Json | undefined;
  const document = (): Json => (made ??= openapi(gen, INFO));
  return [
    get("/healthz", () => Response.json({ status: "ok" })),
    get("/readyz", () => readiness(gen)),
    get(
      "/metrics",
      () => new Response(metricsText(gen, gateway), { headers: { "content-type": "text/plain; version=0.0.4; charset=utf-8" } }),
    ),
    get("/openapi.json", () => Response.json(document())),
    ...consoleRoutes(gen),
    get("/docs", () => new Response(referencePage(document()), { headers: { "content-type": "text/html; charset=utf-8" } })),
  ];
}

const get = (path: string, run: Mount["run"]): Mount => ({ method: "GET", path, run });

/** The console's assets, when a console plugin runs. */
function consoleRoutes({ console: served }: Generation): readonly Mount[] {
  if (!served) return [];
  const asset: Mount["run"] = async (_request, _at, params) => {
    const found = await served.asset(params["*"] ?? "");
    return found ? new Response(found) : errorResponse(new GatewayError("NOT_FOUND", { what: "such page of the console" }), "control");
  };
  return [get(served.mount, asset), get(`${served.mount}/*`, asset)];
}

/** 503 when something required is missing; what is merely failed is named all the same. */
function readiness(gen: Generation): Response {
  const failed = gen.plugins
    .filter((plugin) => plugin.state === "failed")
    .map(({ name, required, code, why }) => ({ plugin: name, required, code, why }));
  const missing = gen.missing();
  const degraded = [...gen.health()].flatMap(([part, { degraded: sentences }]) => sentences.map((why) => ({ part, why })));
  const ready = missing.length === 0 && !failed.some((plugin) => plugin.required);
  return Response.json(
    { status: ready ? "ready" : "not ready", generation: gen.number, missing, degraded, failed, unreadable: gen.unreadable },
    { status: ready ? 200 : 503 },
  );
}
