import { type TSchema, Type } from "@sinclair/typebox";
import { DATA_PREFIX, ErrorBody, type Json } from "#contract";
import { SECURITY } from "./openapi-security.ts";
import { Readiness } from "./readiness.ts";
import { Status, STATUS_SCOPE } from "./status.ts";

interface Probe {
  readonly id: string;
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
export const PROBE_PATHS = {
  root: "/",
  health: `${DATA_PREFIX}/health`,
  alive: "/healthz",
  ready: "/readyz",
  status: "/status",
  metrics: "/metrics",
} as const;

const PROBES: readonly Probe[] = [
  {
    id: "getRoot",
    path: PROBE_PATHS.root,
    summary: "Does a gateway answer here?",
    description: "A sentence for people and for load balancers that ask nothing but `/`.",
    type: "text/plain",
    reply: Type.String(),
    more: {},
  },
  {
    id: "getHealth",
    path: PROBE_PATHS.health,
    summary: "Is the data plane there, and which version of it?",
    description: "What a control plane asks of its gateways. As `/healthz`, nothing is asked of anything.",
    reply: Type.Object({
      status: Type.Literal("success"),
      version: Type.String({ description: "The gateway's version." }),
    }),
    more: {},
  },
  {
    id: "getHealthz",
    path: PROBE_PATHS.alive,
    summary: "Is the process alive?",
    description: "Liveness: nothing is asked of anything. Restart the process when this does not answer.",
    reply: Type.Object({ status: Type.Literal("ok") }),
    more: {},
  },
  {
    id: "getReadyz",
    path: PROBE_PATHS.ready,
    summary: "Would a request be served?",
    description: "Readiness: 200 while a request whose key is known would be answered, and what does not work as it should is named.",
    reply: Readiness,
    more: { 503: "It would not be: the gateway is stopping, or something required does not run." },
  },
  {
    id: "getStatus",
    path: PROBE_PATHS.status,
    summary: "How is every part doing?",
    description: `The detail behind readiness. Without a key from this machine only, directly and not through a proxy; otherwise with a key that holds ${STATUS_SCOPE}.`,
    reply: Status,
    more: { 401: "No key, or an unknown one.", 403: `The key lacks ${STATUS_SCOPE}.` },
    scope: STATUS_SCOPE,
  },
  {
    id: "getMetrics",
    path: PROBE_PATHS.metrics,
    summary: "What has been counted?",
    description: `Counters and gauges of this process in Prometheus's text format. Without a key from this machine only, as \`/status\`; otherwise with a key that holds ${STATUS_SCOPE}.`,
    type: "text/plain",
    reply: Type.String(),
    more: { 401: "No key, or an unknown one.", 403: `The key lacks ${STATUS_SCOPE}.` },
    scope: STATUS_SCOPE,
  },
];

/** Who is refused is told so as everywhere; what is not ready says what it says when it is. */
const bodyOf = (status: number, reply: unknown, add: (schema: TSchema) => unknown): Json => ({
  content: { "application/json": { schema: status < 500 ? add(ErrorBody) : reply } },
});

/** The routes beside the planes that tell how the gateway is doing, as the document describes them. */
export const probeItems = (add: (schema: TSchema) => unknown): readonly { path: string; method: string; tag: string; is: Json }[] =>
  PROBES.map(({ id, path, summary, description, type = "application/json", reply, more, scope }) => ({
    path,
    method: "get",
    tag: "Health",
    is: {
      operationId: id,
      tags: ["Health"],
      summary,
      description,
      ...(scope ? { security: [{}, ...SECURITY.admin], "x-scopes": [scope] } : { security: [] }),
      responses: {
        200: { description: "The answer.", content: { [type]: { schema: add(reply) } } },
        ...Object.fromEntries(
          Object.entries(more).map(([status, says]) => [status, { description: says, ...bodyOf(Number(status), add(reply), add) }]),
        ),
      },
    },
  }));
