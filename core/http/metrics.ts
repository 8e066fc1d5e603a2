import type { Generation } from "../kernel/generation.ts";
import { stalls } from "../kernel/process/watchdog/watchdog.ts";
import type { Gateway } from "../pipeline/gateway.ts";
import { BUCKETS_MS, checkErrors, notKept, requests, sums, type Sums } from "../pipeline/settle/counters.ts";

function* counted(): Generator<Sample> {
  for (const [operation, providers] of requests)
    for (const [provider, statuses] of providers)
      for (const [status, endings] of statuses)
        for (const [ended, count] of Object.entries(endings))
          if (count > 0) yield [`{operation="${operation}",provider="${provider}",status="${status}",ended="${ended}"}`, count];
}

/** The counters of this process. Of several workers, each tells its own: their series are told apart by a label. */
export function metricsText(gen: Generation, gateway: Gateway, worker: number | null): string {
  const text = seriesOf(gen, gateway);
  return worker === null
    ? text
    : text.replace(/^(\w+)(?:\{(.*)\})? /gm, (_, name, labels) => `${name}{${labels ? `${labels},` : ""}worker="${worker}"} `);
}
const seriesOf = (gen: Generation, gateway: Gateway): string =>
  [
    ...requestSeries(),
    ...underWay(gen),
    ...pluginSeries(gen),
    ...exportSeries(gateway),
    ...eventLoopSeries(),
    ...checkProcessSeries(gen),
    ...isolatedSeries(gen),
    ...memorySeries(gateway),
    "",
  ].join("\n");

const requestSeries = (): string[] => [
  ...metric("gateway_requests_total", "counter", "Requests by operation, provider, status and ending.", [...counted()]),
  ...histogram(),
  ...metric("gateway_tokens_total", "counter", "Tokens by provider, as providers counted them or as they were estimated.", [...tokens()]),
  ...metric("gateway_cost_cents_total", "counter", "Cost of requests by provider, in US cents.", [...costs()]),
  ...metric("gateway_check_errors_total", "counter", "Guardrail checks that could not judge, by check and kind of error.", [...errors()]),
  ...metric("gateway_answers_not_kept_total", "counter", "Answers that were to be kept for later requests, and were not.", [
    ...[...notKept].map(([operation, count]) => [`{operation="${operation}"}`, count] as const),
  ]),
];

const underWay = ({ inFlight, egress, number }: Generation): string[] => [
  ...metric("gateway_in_flight_requests", "gauge", "Requests under way.", [["", inFlight]]),
  ...metric("gateway_upstream_open", "gauge", "Upstream answers still open.", [["", egress.open]]),
  ...metric("gateway_generation", "gauge", "Number of the running generation.", [["", number]]),
];

const pluginSeries = ({ plugins }: Generation): string[] =>
  metric(
    "gateway_plugin_up",
    "gauge",
    "1 when a plugin runs, 0 when it failed.",
    plugins.filter(({ state }) => state !== "disabled").map(({ name, state }) => [`{plugin="${name}"}`, state === "running" ? 1 : 0]),
  );

const exportSeries = ({ queues }: Gateway): string[] => [
  ...metric(
    "gateway_export_dropped_total",
    "counter",
    "Records and bodies that an export queue gave up for want of room, and records that their store refused.",
    queues.flatMap((queue) => [
      [`{exporter="${queue.name}",what="records"}`, queue.droppedRecords] as const,
      [`{exporter="${queue.name}",what="bodies"}`, queue.droppedBodies] as const,
      [`{exporter="${queue.name}",what="failed"}`, queue.failedRecords] as const,
    ]),
  ),
  ...metric(
    "gateway_export_waiting",
    "gauge",
    "What waits to be exported: records and bytes in the process, bytes on disk.",
    queues.flatMap((queue) => [
      [`{exporter="${queue.name}",where="process",what="records"}`, queue.waitingRecords] as const,
      [`{exporter="${queue.name}",where="process",what="bytes"}`, queue.waitingBytes] as const,
      [`{exporter="${queue.name}",where="disk",what="bytes"}`, queue.diskBytes] as const,
    ]),
  ),
];

function eventLoopSeries(): string[] {
  const { count, totalMs } = stalls();
  return [
    ...metric("gateway_event_loop_stalls_total", "counter", "Times the event loop stood still for more than a second.", [["", count]]),
    ...metric("gateway_event_loop_stalled_seconds_total", "counter", "Seconds it stood still in all.", [["", totalMs / 1_000]]),
  ];
}

const checkProcessSeries = ({ compute }: Generation): string[] =>
  metric(
    "gateway_check_process_work_total",
    "counter",
    "Work of checks in processes of their own: done, stopped for its budget, or refused a place.",
    Object.entries(compute.counts()).map(([what, count]) => [`{what="${what}"}`, count]),
  );

function isolatedSeries({ isolation }: Generation): string[] {
  const packs = [...(isolation?.counts() ?? [])].map(([plugin, counts]) => ({ labels: `{plugin="${plugin}"}`, plugin, counts }));
  if (packs.length === 0) return [];
  const ended = packs.flatMap(({ plugin, counts }) =>
    Object.entries(counts.ended).map(([why, count]): Sample => [`{plugin="${plugin}",why="${why}"}`, count]),
  );
  const of = (count: "processes" | "started" | "judged"): Sample[] => packs.map(({ labels, counts }) => [labels, counts[count]]);
  const seconds = packs.map(({ labels, counts }): Sample => [labels, counts.judgedMs / 1_000]);
  return [
    ...metric("gateway_isolated_processes", "gauge", "Processes of isolated packs that are alive.", of("processes")),
    ...metric("gateway_isolated_started_total", "counter", "Processes of isolated packs that were started.", of("started")),
    ...metric("gateway_isolated_ended_total", "counter", ENDED_HELP, ended),
    ...metric("gateway_isolated_judged_total", "counter", "Questions that the processes of isolated packs answered.", of("judged")),
    ...metric("gateway_isolated_judged_seconds_total", "counter", "Seconds from these questions to their answers.", seconds),
  ];
}
const ENDED_HELP =
  "Processes of isolated packs that ended: killed for their time, memory, output or silence, by themselves (exit), or not needed any more (closed).";

const memorySeries = ({ memory }: Gateway): string[] => [
  ...metric("gateway_memory_used_bytes", "gauge", "Bytes that requests under way hold of the memory budget.", [["", memory.used]]),
  ...metric("gateway_memory_budget_bytes", "gauge", "The memory budget.", [["", memory.limit]]),
  ...metric("gateway_memory_refused_total", "counter", "Requests refused because the memory budget was used up.", [["", memory.refused]]),
  ...metric("process_resident_memory_bytes", "gauge", "Resident memory.", [["", process.memoryUsage.rss()]]),
];

type Sample = readonly [labels: string, value: number];
const metric = (name: string, type: string, help: string, samples: readonly Sample[]): string[] => [
  `# HELP ${name} ${help}`,
  `# TYPE ${name} ${type}`,
  ...samples.map(([labels, value]) => `${name}${labels} ${value}`),
];

function* tokens(): Generator<Sample> {
  for (const [provider, { inputTokens: input, outputTokens: output }] of sums) {
    if (input > 0) yield [`{provider="${provider}",type="input"}`, input];
    if (output > 0) yield [`{provider="${provider}",type="output"}`, output];
  }
}
function* costs(): Generator<Sample> {
  for (const [provider, { costCents }] of sums) if (costCents > 0) yield [`{provider="${provider}"}`, costCents];
}
function* errors(): Generator<Sample> {
  for (const [check, byName] of checkErrors) for (const [name, count] of byName) yield [`{check="${check}",error="${name}"}`, count];
}

const DURATION = "gateway_request_duration_ms";
const histogram = (): string[] => [
  `# HELP ${DURATION} Time from a request's arrival to its last byte, by provider.`,
  `# TYPE ${DURATION} histogram`,
  ...[...sums].flatMap(([provider, sum]) => durationsOf(provider, sum)),
];
function durationsOf(provider: string, { durations, durationMs }: Sums): string[] {
  let total = 0;
  const rows = durations.map(
    (count, at) => `${DURATION}_bucket{provider="${provider}",le="${BUCKETS_MS[at] ?? "+Inf"}"} ${(total += count)}`,
  );
  return [...rows, `${DURATION}_sum{provider="${provider}"} ${durationMs}`, `${DURATION}_count{provider="${provider}"} ${total}`];
}
