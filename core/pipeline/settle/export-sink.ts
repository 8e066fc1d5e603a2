import type { Exporter, Outcome, RecordExporter } from "#contract";

/** What an exporter takes of a request, and how it is brought there. */
export interface Sink {
  make(outcome: Outcome): object | undefined;
  withoutBodies(item: object): object;
  write(items: readonly object[]): Promise<void>;
  /** Plain data, which may wait on disk. */
  readonly isStorable: boolean;
}

export function sinkOf(exporter: Exporter): Sink {
  if ("record" in exporter) return recordSink(exporter);
  return {
    make: (outcome) => outcome,
    withoutBodies: (item) => ({ ...item, bodies: null }),
    write: (items) => exporter.export(items as readonly Outcome[]), // made by the line above
    isStorable: false,
  };
}
const recordSink = (exporter: RecordExporter): Sink => ({
  make: (outcome) => exporter.record(outcome),
  withoutBodies: (item) => exporter.withoutBodies(item),
  write: (items) => exporter.write(items),
  isStorable: true,
});

/** About what an item takes in memory: its texts, or those of its bodies. */
export function weightOf(item: object): number {
  let weight = FIXED;
  for (const name in item) {
    const member: unknown = item[name as keyof typeof item];
    if (typeof member === "string") weight += member.length;
  }
  const { bodies } = item as { readonly bodies?: Outcome["bodies"] };
  return bodies ? weight + textsOf(bodies) : weight;
}
const FIXED = 2_048;
const textsOf = ({ request, upstreamRequest, response }: NonNullable<Outcome["bodies"]>): number =>
  (request?.length ?? 0) + (upstreamRequest?.length ?? 0) + (response?.length ?? 0);
