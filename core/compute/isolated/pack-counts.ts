import type { Json } from "#contract";
import type { EndReason } from "./pack-process.ts";

/** Since the start of the gateway, over all generations. */
export interface PackCounts {
  processes: number;
  started: number;
  judged: number;
  judgedMs: number;
  readonly ended: Record<EndReason, number>;
}
export const nothingCounted = (): PackCounts => ({
  processes: 0,
  started: 0,
  judged: 0,
  judgedMs: 0,
  ended: { time: 0, memory: 0, output: 0, silence: 0, exit: 0, closed: 0 },
});

export const detailOf = ({ processes, started, judged, ended }: PackCounts): Json => ({
  ...{ processes, started, judged },
  ...Object.fromEntries(Object.entries(ended).map(([reason, count]) => [`ended_${reason}`, count])),
});
