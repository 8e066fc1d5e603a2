import { type TSchema, Type } from "@sinclair/typebox";
import type { Json } from "#contract";
import { SECURITY } from "./openapi-security.ts";
import { Readiness } from "./readiness.ts";
import { Status, STATUS_SCOPE } from "./status.ts";

interface Probe {
  readonly path: string;
  readonly summary: string;
  readonly description: string;
  /** Media type of the answer; JSON unless it says otherwise. */
  readonly type?: string;
  readonly reply: TSchema;
  /** Statuses besides 200, and what they mean. */
  readonly more: Readonly<Record<number, string>>;
  readonly scope?: string;
}
/** Where whoever watches the gateway asks how it is doing. */
export const PROBE_PATHS = { alive: "/healthz", ready: "/readyz", status: "/status", metrics: "/metrics" } as const;

const PROBES: readonly Probe[] = [
  {
    path: PROBE_PATHS.alive,
    summary: "Is the process alive?",
    description: "Liveness: nothing is asked of anything. Restart the process when this does not answer.",
    reply: Type.Object({ status: Type.Literal("ok") }),
    more: {},
  },
  {
    path: PROBE_PATHS.ready,
    summary: "Would a request be served?",
    description: "Readiness: 200 while a request whose key is known would be answered, and what does not work as it should is named.",
    reply: Readiness,
    more: { 503: "It would not be: the gateway is stopping, or something required does not run." },
  },
  {
    path: PROBE_PATHS.status,
    summary: "How is every part doing?",
    description: `The detail behind readiness. Without a key from this machine only, directly and not through a proxy; otherwise with a key that holds ${STATUS_SCOPE}.`,
    reply: Status,
    more: { 401: "No key, or an unknown one.", 403: `The key lacks ${STATUS_SCOPE}.` },
    scope: STATUS_SCOPE,
  },
  {
    path: PROBE_PATHS.metrics,
    summary: "What has been counted?",
    description: `Counters and gauges of this process in Prometheus's text format. Without a key from this machine only, as \`/status\`; otherwise with a key that holds ${STATUS_SCOPE}.`,
    type: "text/plain",
    reply: Type.String(),
    more: { 401: "No key, or an unknown one.", 403: `The key lacks ${STATUS_SCOPE}.` },
    scope: STATUS_SCOPE,
  },
];

/** The routes beside the planes that tell how the gateway is doing, as the document describes them. */
export const probeItems = (add: (schema: TSchema) => unknown): readonly { path: string; method: string; tag: string; is: Json }[] =>
  PROBES.map(({ path, summary, description, type = "application/json", reply, more, scope }) => ({
    path,
    method: "get",
    tag: "Health",
    is: {
      operationId: `get${path.slice(1, 2).toUpperCase()}${path.slice(2)}`,
      tags: ["Health"],
      summary,
      description,
      ...(scope ? { security: [{}, ...SECURITY.admin], "x-scopes": [scope] } : { security: [] }),
      responses: {
        200: { description: "The answer.", content: { [type]: { schema: add(reply) } } },
        ...Object.fromEntries(Object.entries(more).map(([status, says]) => [status, { description: says }])),
      },
    },
  }));
