import type { Outcome } from "#contract";
import type { Generation } from "../kernel/generation.ts";
import { stalls } from "../kernel/watchdog/watchdog.ts";
import type { Gateway } from "../pipeline/gateway.ts";

/** Counters of this process, in Prometheus's text form. Labels are ids of ours, never text of a client. */
const requests = new Map<string, Map<string, Map<number, Endings>>>();
type Endings = { [E in Outcome["ended"]]: number };
const BUCKETS_MS = [5, 10, 25, 50, 100, 250, 500, 1_000, 2_500, 5_000, 10_000, 30_000] as const;
const durations = { counts: new Array<number>(BUCKETS_MS.length + 1).fill(0), sumMs: 0 };

export function countRequest({ call, provider, status, ended, timing }: Outcome): void {
  const statuses = within(within(requests, call.operation, noProviders), provider ?? "", noStatuses);
  within(statuses, status, noEndings)[ended] += 1;
  let bucket = 0;
  while (bucket < BUCKETS_MS.length && timing.totalMs > (BUCKETS_MS[bucket] ?? 0)) bucket += 1;
  durations.counts[bucket] = (durations.counts[bucket] ?? 0) + 1;
  durations.sumMs += timing.totalMs;
}

function within<K, V>(map: Map<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
const noProviders = (): Map<string, Map<number, Endings>> => new Map();
const noStatuses = (): Map<number, Endings> => new Map();
const noEndings = (): Endings => ({ ok: 0, error: 0, partial: 0, aborted: 0 });

function* counted(): Generator<Sample> {
  for (const [operation, providers] of requests)
    for (const [provider, statuses] of providers)
      for (const [status, endings] of statuses)
        for (const [ended, count] of Object.entries(endings))
          if (count > 0) yield [`{operation="${operation}",provider="${provider}",status="${status}",ended="${ended}"}`, count];
}

export function metricsText(gen: Generation, gateway: Gateway): string {
  return [
    ...metric("gateway_requests_total", "counter", "Requests by operation, provider, status and ending.", [...counted()]),
    ...histogram(),
    ...metric("gateway_in_flight_requests", "gauge", "Requests under way.", [["", gen.inFlight]]),
    ...metric("gateway_upstream_open", "gauge", "Upstream answers still open.", [["", gen.egress.open]]),
    ...metric("gateway_generation", "gauge", "Number of the running generation.", [["", gen.number]]),
    ...metric(
      "gateway_plugin_up",
      "gauge",
      "1 when a plugin runs, 0 when it failed.",
      gen.plugins.filter(({ state }) => state !== "disabled").map(({ name, state }) => [`{plugin="${name}"}`, state === "running" ? 1 : 0]),
    ),
    ...metric(
      "gateway_export_dropped_total",
      "counter",
      "Records and bodies that an export queue gave up for want of room, and records that their store refused.",
      gateway.queues.flatMap((queue) => [
        [`{exporter="${queue.name}",what="records"}`, queue.droppedRecords] as const,
        [`{exporter="${queue.name}",what="bodies"}`, queue.droppedBodies] as const,
        [`{exporter="${queue.name}",what="failed"}`, queue.failedRecords] as const,
      ]),
    ),
    ...metric("gateway_event_loop_stalls_total", "counter", "Times the event loop stood still for more than a second.", [
      ["", stalls().count],
    ]),
    ...metric("gateway_event_loop_stalled_seconds_total", "counter", "Seconds it stood still in all.", [["", stalls().totalMs / 1_000]]),
    ...metric(
      "gateway_check_process_work_total",
      "counter",
      "Work of checks in processes of their own: done, stopped for its budget, or refused a place.",
      Object.entries(gen.compute.counts()).map(([what, count]) => [`{what="${what}"}`, count]),
    ),
    ...metric(
      "gateway_export_waiting",
      "gauge",
      "What waits to be exported: records and bytes in the process, bytes on disk.",
      gateway.queues.flatMap((queue) => [
        [`{exporter="${queue.name}",where="process",what="records"}`, queue.waitingRecords] as const,
        [`{exporter="${queue.name}",where="process",what="bytes"}`, queue.waitingBytes] as const,
        [`{exporter="${queue.name}",where="disk",what="bytes"}`, queue.diskBytes] as const,
      ]),
    ),
    ...metric("gateway_memory_used_bytes", "gauge", "Bytes that requests under way hold of the memory budget.", [
      ["", gateway.memory.used],
    ]),
    ...metric("gateway_memory_budget_bytes", "gauge", "The memory budget.", [["", gateway.memory.limit]]),
    ...metric("gateway_memory_refused_total", "counter", "Requests refused because the memory budget was used up.", [
      ["", gateway.memory.refused],
    ]),
    ...metric("process_resident_memory_bytes", "gauge", "Resident memory.", [["", process.memoryUsage.rss()]]),
    "",
  ].join("\n");
}

type Sample = readonly [labels: string, value: number];
const metric = (name: string, type: string, help: string, samples: readonly Sample[]): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
  ...samples.map(([labels, value]) => `${name}${labels} ${value}`),
];

function histogram(): string[] {
  let total = 0;
  const rows = durations.counts.map(
    (count, i) => `gateway_request_duration_ms_bucket{le="${BUCKETS_MS[i] ?? "+Inf"}"} ${(total += count)}`,
  );
  return [
    "# HELP gateway_request_duration_ms Time from a request's arrival to its last byte.",
    "# TYPE gateway_request_duration_ms histogram",
    ...rows,
    `gateway_request_duration_ms_sum ${durations.sumMs}`,
    `gateway_request_duration_ms_count ${total}`,
  ];
}
