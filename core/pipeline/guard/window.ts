import type { GuardrailResult, JudgedAnswer, StreamEvent } from "#contract";
import type { Chunk } from "../stream/chunks.ts";
import { collect } from "../stream/fold.ts";
import { howOf } from "./stream-mode.ts";
import { Lane, type Part, watch } from "./lanes.ts";
import { passes, resultOf } from "./result.ts";
import { runCheck } from "./run.ts";
import { OUTLINE, Outline } from "../stream/kept-events.ts";
import type { Subject } from "./subject.ts";
import type { ActiveGuardrail } from "../plan/guardrails/active.ts";
import type { GuardDeps } from "./types.ts";
import { weightier } from "./verdict.ts";

interface HeldChunk {
  readonly chunk: Chunk;
  readonly upTo: readonly (readonly [Lane, number])[];
  /** What came behind it and says nothing to the client: it goes with it. */
  behind?: Outline;
}

/** Holds a stream's chunks until every window over their text has passed. */
export class Windows {
  private readonly parts: readonly Part[];
  private readonly lanes = new Map<string, Lane>();
  private readonly held: HeldChunk[] = [];
  ended = false;

  constructor(
    private readonly waited: readonly ActiveGuardrail[],
    private readonly subject: Subject,
    private readonly deps: GuardDeps & { readonly judged: JudgedAnswer },
  ) {
    this.parts = waited.flatMap((guardrail) =>
      guardrail.checks
        .filter((check) => subject.suits(check))
        .map((check) => ({ guardrail, check, how: howOf(check, guardrail), judged: undefined })),
    );
  }

  /** Decided enough to begin: every window check has judged once, or all is over. */
  get open(): boolean {
    return this.ended || this.denied || this.parts.every(({ how, judged }) => how !== "window" || judged !== undefined);
  }
  get denied(): boolean {
    return this.parts.some((part) => part.guardrail.deny && failing(part));
  }
  get softly(): boolean {
    return this.parts.every((part) => part.guardrail.softDeny || !(part.guardrail.deny && failing(part)));
  }
  get failed(): boolean {
    return this.parts.some(failing);
  }

  async push(chunk: Chunk): Promise<void> {
    const last = this.held.at(-1);
    if (last && isOutline(chunk)) return addBehind(last, chunk);
    const touched = new Set<Lane>();
    for (const event of chunk.events) this.add(event, touched);
    this.held.push({ chunk, upTo: [...touched].map((lane) => [lane, lane.length] as const) });
    for (const lane of touched) await this.judge(lane, lane.isBeside); // of what stands beside the text, no rest is still to come
  }

  /** The rest of the text, then the checks that judge at the end, then checks that saw no text at all. */
  async end(answer: Subject): Promise<void> {
    for (const lane of this.lanes.values()) await this.judge(lane, true);
    for (const part of this.parts) {
      if (this.denied) break;
      if (part.judged === undefined) part.judged = await runCheck(part.check, answer, this.deps);
    }
    this.ended = true;
  }

  /** The next chunk, when it may go. */
  released(): Chunk | undefined {
    const [first] = this.held;
    if (!first?.upTo.every(([lane, to]) => to <= lane.free)) return undefined;
    this.held.shift();
    return whole(first);
  }

  results(): readonly GuardrailResult[] {
    return this.waited.map((guardrail) => {
      const judged = this.parts.filter((part) => part.guardrail === guardrail).flatMap((part) => part.judged ?? []);
      return resultOf({ guardrail, judged, tookMs: judged.reduce((sum, { tookMs }) => sum + tookMs, 0) }, this.deps);
    });
  }

  private add(event: StreamEvent, touched: Set<Lane>): void {
    const text = this.textOf(event);
    if (text === undefined) return;
    const lane = this.laneOf(event.type as LaneType, (event as { choice?: number }).choice ?? 0); // of a type that has a text
    lane.add(text);
    touched.add(lane);
  }
  private textOf(event: StreamEvent): string | undefined {
    if (event.type === "text" || event.type === "refusal" || event.type === "reasoning") return event.text;
    return isBesideText(event.type) ? `${this.subject.with(this.deps.judged.body(collect([event]))).said}\n` : undefined;
  }

  private laneOf(type: LaneType, choice: number): Lane {
    const key = `${type} ${choice}`;
    const existing = this.lanes.get(key);
    if (existing) return existing;
    const isBeside = isBesideText(type);
    const path = this.deps.judged.path(choice, isBeside ? "text" : type);
    const lane = new Lane(choice, type === "reasoning" ? "reasoning" : "text", path, isBeside);
    for (const part of this.parts) watch(part, lane);
    this.lanes.set(key, lane);
    return lane;
  }

  private async judge(lane: Lane, atEnd: boolean): Promise<void> {
    for (const watch of lane.watches) {
      for (let segment = watch.next(atEnd); segment && !this.denied; segment = watch.next(atEnd)) {
        watch.part.judged = weightier(watch.part.judged, await runCheck(watch.part.check, this.subject.over(segment), this.deps));
      }
    }
    lane.forget();
  }
}

type LaneType = "text" | "refusal" | "reasoning" | "citation" | "beside" | "block";
/** Events of what a text rests on, and of what a provider's own tools did. */
const isBesideText = (type: StreamEvent["type"]): type is "citation" | "beside" | "block" =>
  type === "citation" || type === "beside" || type === "block";
const isOutline = ({ wire, events }: Chunk): boolean => wire === "" && events.every(({ type }) => OUTLINE.has(type));
function addBehind(last: HeldChunk, { events }: Chunk): void {
  last.behind ??= new Outline();
  for (const event of events) last.behind.add(event);
}
const whole = ({ chunk, behind }: HeldChunk): Chunk => (behind ? { wire: chunk.wire, events: [...chunk.events, ...behind.events] } : chunk);

const failing = ({ judged, guardrail }: Part): boolean => judged !== undefined && !passes(judged, guardrail);
