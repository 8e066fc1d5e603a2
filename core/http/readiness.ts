import { Type, type Static } from "@sinclair/typebox";
import { type Health, OneOf } from "#contract";
import type { Generation } from "../kernel/generation.ts";
import type { Gateway } from "../pipeline/gateway.ts";

/** What a load balancer asks, and what it is told. */
export const Readiness = Type.Object({
  status: OneOf(["ready", "degraded", "not ready"], {
    description: "`degraded` serves: a warm request is answered, and what is named does not work as it should.",
  }),
  generation: Type.Integer({ description: "Number of the generation that serves." }),
  degraded: Type.Array(Type.Object({ part: Type.String(), why: Type.String() }), {
    description: "What does not work as it should, as sentences.",
  }),
  lacking: Type.Array(Type.Object({ part: Type.String(), why: Type.String() }), {
    description: "What plugins need and were not given (a vendor's key, say), as sentences. It does not make the gateway degraded.",
  }),
  missing: Type.Array(Type.String(), { description: "Of these, what concerns a store: it is away, or it cannot be written." }),
  failed: Type.Array(Type.Object({ plugin: Type.String(), required: Type.Boolean(), code: Type.Unknown(), why: Type.Unknown() }), {
    description: "Plugins that did not start.",
  }),
  unreadable: Type.Array(Type.Unknown(), { description: "Folders of the plugins folder that hold no readable plugin." }),
});
type Readiness = Static<typeof Readiness>;

export interface Observed {
  readonly gen: Generation;
  readonly gateway: Pick<Gateway, "queues">;
  /** The process was asked to end. */
  readonly isStopping: () => boolean;
  readonly redact: (value: unknown) => unknown;
}

/** Every part that tells how it is doing, the queues of exporters among them. */
export function partsOf({ gen, gateway }: Pick<Observed, "gen" | "gateway">): ReadonlyMap<string, Health> {
  const parts = new Map(gen.health());
  for (const queue of gateway.queues) parts.set(queue.name, joined(queue.health(), parts.get(queue.name)));
  return parts;
}
const joined = (queue: Health, own: Health | undefined): Health => ({
  degraded: [...queue.degraded, ...(own?.degraded ?? [])],
  ...(own?.lacking && { lacking: own.lacking }),
  detail: { ...queue.detail, ...own?.detail },
});

export function readinessOf(observed: Observed): Readiness {
  const { gen, redact } = observed;
  const refusals = refusalsOf(observed);
  const parts = [...partsOf(observed)];
  const shown = (part: string, sentences: readonly string[] = []) => sentences.map((why) => ({ part, why: String(redact(why)) }));
  const degraded = [...shown("gateway", refusals), ...parts.flatMap(([part, health]) => shown(part, health.degraded))];
  const lacking = parts.flatMap(([part, health]) => shown(part, health.lacking));
  const failed = gen.plugins
    .filter((plugin) => plugin.state === "failed")
    .map(({ name, required, code, why }) => ({ plugin: name, required, code, why }));
  const well = degraded.length + failed.length + gen.unreadable.length === 0;
  return {
    status: refusals.length > 0 ? "not ready" : well ? "ready" : "degraded",
    generation: gen.number,
    degraded,
    lacking,
    missing: degraded.filter(({ part }) => part.startsWith("store/")).map(({ why }) => why),
    failed,
    unreadable: [...gen.unreadable],
  };
}

/** Why not even a request that needs nothing but what is in memory would be answered. */
function refusalsOf({ gen, isStopping }: Observed): string[] {
  const failed = gen.plugins.filter(({ state, required }) => state === "failed" && required);
  return [
    ...(isStopping() ? ["The gateway is stopping."] : []),
    ...(gen.policies.some(({ provides }) => provides.identify) ? [] : ["No policy runs that could tell who asks."]),
    ...failed.map(({ name, why }) => `The plugin ${name} is required and does not run: ${why ?? "it failed"}`),
  ];
}

/** 503 only where a request would be refused: a load balancer takes the others away from a gateway that serves. */
export function readinessAnswer(observed: Observed): Response {
  const readiness = readinessOf(observed);
  return Response.json(readiness, { status: readiness.status === "not ready" ? 503 : 200 });
}
