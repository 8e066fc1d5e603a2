import { type Dialect, type EncodeOptions, type Frame, GatewayError, UpstreamFailure, type WireError } from "#contract";
import type { Fold } from "./collect.ts";
import { Edges } from "./edges.ts";
import { framesOf } from "./frames.ts";
import { type Chunks, errorOf, type Live, type Summary, wireError } from "./live.ts";
import { WholeFrames } from "./whole-frames.ts";

/* The same dialect on both sides: bytes pass, usage is tapped. */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export interface Passing {
  readonly reader: Chunks;
  /** Bytes already read while the stream's beginning was judged. */
  readonly first: Uint8Array;
  readonly dialect: Dialect;
  readonly provider: string;
  readonly encode: EncodeOptions;
  /** The client did not ask for usage: its frame is read and kept back. */
  readonly hideUsage: boolean;
  /** The provider's own correction of a chunk, when its wire strays from the dialect; gives the same text back when it does not. */
  readonly correct: ((data: string) => string) | null;
}

/** Forwards a stream's bytes untouched, whole frames at a time; looks only at its beginning and end. */
export class PassingStream implements Live {
  private first: Uint8Array | undefined;
  private readonly edges: Edges;
  private readonly frames: WholeFrames;
  private over = false;
  private seen: Fold | undefined;
  private failure: WireError | null = null;
  /** The provider's own error event has reached the client; it is not told twice. */
  private reported = false;

  constructor(private readonly from: Passing) {
    this.first = from.first;
    this.edges = new Edges(from.first, from.dialect.decode);
    this.frames = new WholeFrames(from.hideUsage ? from.dialect : null, from.provider);
  }

  /** One promise for each chunk, not one for each step: with thousands of chunks a second that is what they cost. */
  async next(): Promise<Uint8Array | undefined> {
    try {
      while (!this.over) {
        const chunk = this.first ?? (await this.from.reader.read()).value;
        this.first = undefined;
        if (chunk === undefined) return this.ending();
        this.edges.remember(chunk);
        const visible = this.frames.push(chunk);
        if (visible.length > 0) return visible;
      }
    } catch (thrown) {
      this.failure = errorOf(thrown, this.from.provider);
      void this.from.reader.cancel().catch(() => undefined); // nothing more of it is wanted
      return this.ending();
    }
    return undefined;
  }
  async cancel(): Promise<void> {
    this.over = true;
    await this.from.reader.cancel().catch(() => undefined); // the upstream may be gone already
  }
  summary(): Summary {
    const fold = this.fold(false);
    return {
      usage: fold.usage ?? null,
      model: fold.model ?? null,
      finished: fold.finished,
      error: this.failure,
      text: (wire) => said(wire, this.from.dialect),
    };
  }

  /** A complete answer's last bytes, or the dialect's error event in place of a frame that was cut. */
  private ending(): Uint8Array | undefined {
    this.over = true;
    const ended = isEnd(this.edges.last(), this.from); // a choice may have finished long before the tail
    const finished = this.fold(ended).finished || ended;
    if (ended && !this.reported) this.failure = null; // a connection that breaks behind the end broke nothing
    if (!this.failure && !finished) this.failure = wireError(new GatewayError("STREAM_INCOMPLETE", { provider: this.from.provider }));
    if (this.failure && !this.reported) return encoder.encode(this.from.dialect.encode(this.from.encode).error(this.failure));
    const last =
      wholeRest(this.frames.end(), this.from.dialect) + (this.reported || ended ? "" : this.from.dialect.encode(this.from.encode).end());
    return last === "" ? undefined : encoder.encode(last);
  }
  private fold(ended: boolean): Fold {
    if (this.seen) return this.seen;
    const { fold, error } = this.edges.said(ended);
    this.failure ??= error;
    this.reported = error !== null;
    return (this.seen = fold);
  }
}

/** The text and tool calls in passing frames; frames that cannot be read say nothing. */
function said(wire: string, { decode }: Dialect): string {
  const state = decode.start();
  return framesOf(encoder.encode(wire))
    .map((frame) => {
      try {
        return decode
          .event(frame, state)
          .map((event) => ("text" in event ? event.text : "arguments" in event ? (event.arguments ?? "") : ""))
          .join("");
      } catch {
        return ""; // cut in its middle, or an error event
      }
    })
    .join("");
}

/** A last frame that came without the blank line behind it; nothing of one that was cut in its middle. */
function wholeRest(rest: Uint8Array, { decode }: Dialect): string {
  if (rest.length === 0) return "";
  const frames = framesOf(rest);
  if (frames.every(({ data }) => data === "")) return "";
  try {
    for (const frame of frames) decode.event(frame, decode.start());
  } catch (thrown) {
    if (!(thrown instanceof UpstreamFailure)) return "";
  }
  return `${decoder.decode(rest).trimEnd()}\n\n`;
}

/** Is this the dialect's terminal marker? Some servers leave it out; a complete answer gets it all the same. */
export function isEnd(last: Frame | undefined, { dialect, encode }: Pick<Passing, "dialect" | "encode">): boolean {
  const marker = markerOf(dialect, encode);
  return last !== undefined && marker !== null && last.event === marker.event && (last.event !== "" || last.data === marker.data);
}

/** Of each dialect once: it says the same at the end of each answer. */
function markerOf(dialect: Dialect, encode: EncodeOptions): Frame | null {
  const known = MARKERS.get(dialect);
  if (known !== undefined) return known;
  const marker = framesOf(encoder.encode(dialect.encode(encode).end())).at(-1) ?? null;
  MARKERS.set(dialect, marker);
  return marker;
}
const MARKERS = new WeakMap<Dialect, Frame | null>();
