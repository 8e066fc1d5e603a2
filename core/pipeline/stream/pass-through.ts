import {
  type ByteSource,
  type Dialect,
  type EncodeOptions,
  ERRORS,
  GatewayError,
  nextTurn,
  type StreamEvent,
  UpstreamFailure,
  type WireError,
} from "#contract";
import type { Fold } from "./fold.ts";
import { StreamEnds } from "./stream-ends.ts";
import { framesOf } from "./frames.ts";
import { errorOf, type Live, type Summary, wireError } from "./live.ts";
import { type Marker, markerOf } from "./marker.ts";
import { eventCost } from "../../json/memory-cost.ts";
import { FrameGate } from "./frame-gate.ts";
import { drained } from "./drained.ts";
import { type Secrets, redactedError } from "../../kernel/secrets/redaction.ts";

/* The same dialect on both sides: bytes pass, usage is tapped. */

const encoder = new TextEncoder();
const decoder = new TextDecoder();

export interface PassThrough {
  readonly reader: ByteSource;
  /** Bytes already read while the stream's beginning was judged. */
  readonly first: Uint8Array;
  /** What was said in a beginning that is too long to be read again. */
  readonly openingEvents: readonly StreamEvent[] | null;
  readonly dialect: Dialect;
  readonly provider: string;
  readonly encode: EncodeOptions;
  /** The client did not ask for usage: its frame is read and kept back. */
  readonly hideUsage: boolean;
  /** The provider's own correction of a chunk, when its wire strays from the dialect; gives the same text back when it does not. */
  readonly correct: ((data: string) => string) | null;
}

const PAUSE_BYTES = 128 * 1024;

/** Forwards a stream's bytes untouched, whole frames at a time; looks only at its beginning and end. */
export class PassThroughStream implements Live {
  private first: Uint8Array | undefined;
  private readonly edges: StreamEnds;
  private readonly frames: FrameGate;
  private readonly marker: Marker | null;
  private over = false;
  private seen: Fold | undefined;
  private failure: WireError | null = null;
  /** The provider's own error event has reached the client; it is not told twice. */
  private reported = false;
  private sincePause = 0;

  constructor(
    private readonly from: PassThrough,
    private readonly secrets: Secrets,
  ) {
    this.first = from.first;
    this.edges = new StreamEnds(from.first, from.dialect.decode, from.dialect.terminal, from.openingEvents);
    this.marker = markerOf(from.dialect, from.encode);
    this.frames = new FrameGate(from.hideUsage ? from.dialect : null, this.marker, from.provider);
  }

  /** One promise for each chunk, not one for each step: with thousands of chunks a second that is what they cost. */
  async read(): Promise<Uint8Array | undefined> {
    const more = this.frames.more();
    if (more !== undefined) return this.withPauses(more);
    try {
      while (!this.over) {
        const chunk = this.first ?? (await this.from.reader.read());
        this.first = undefined;
        if (chunk === undefined) return this.ending();
        const visible = this.passed(chunk);
        if (this.frames.ended) this.end();
        if (visible.length > 0) return visible;
      }
    } catch (thrown) {
      this.failure = redactedError(errorOf(thrown, this.from.provider), this.secrets);
      void this.from.reader.cancel(); // nothing more of it is wanted
      return this.ending();
    }
    return undefined;
  }
  cancel(): Promise<void> {
    this.over = true;
    return this.from.reader.cancel();
  }
  /** A long frame goes on piece by piece; between some of them others have their turn. */
  private async withPauses(piece: Uint8Array): Promise<Uint8Array> {
    this.countHeld();
    this.sincePause += piece.length;
    if (this.sincePause > PAUSE_BYTES) {
      this.sincePause = 0;
      await nextTurn();
    }
    return piece;
  }
  private passed(chunk: Uint8Array): Uint8Array {
    this.edges.remember(chunk);
    const before = this.frames.held;
    const visible = this.frames.push(chunk);
    if (this.frames.held !== before) this.countHeld();
    if (saysNothing(chunk, this.from.dialect)) this.from.reader.unheard?.();
    return visible;
  }
  private countHeld(): void {
    this.from.reader.keeps?.(eventCost(this.frames.held));
  }
  /** Behind its terminal marker an answer is over, whatever its provider does with the connection. */
  private end(): void {
    this.edges.dropLast(this.frames.behind);
    this.ending();
    drained(this.from.reader);
  }
  summary(): Summary {
    const fold = this.fold(false);
    return {
      usage: fold.usage ?? null,
      model: fold.model ?? null,
      finished: fold.finished,
      error: this.failure,
      text: (wire) => textOf(wire, this.from.dialect),
    };
  }

  /** A complete answer's last bytes, or the dialect's error event in place of a frame that was cut. */
  private ending(): Uint8Array | undefined {
    this.over = true;
    const marked = this.frames.ended;
    const rest = marked ? "" : wholeRest(this.frames.end(), this.from.dialect);
    const ended = marked || (rest !== "" && this.frames.ended) || (this.marker?.is(this.edges.last()) ?? false); // a choice may have finished long before the tail
    const finished = this.fold(ended).finished || ended;
    // A connection that breaks behind the end broke nothing, nor does one that falls silent behind a complete answer.
    if (!this.reported && (ended || (finished && this.failure?.type === ERRORS.TIMEOUT.type))) this.failure = null;
    if (!this.failure && !finished) this.failure = wireError(new GatewayError("STREAM_INCOMPLETE", { provider: this.from.provider }));
    if (this.failure && !this.reported) return encoder.encode(this.from.dialect.encode(this.from.encode).error(this.failure));
    const last = rest + (this.reported || ended ? "" : this.from.dialect.encode(this.from.encode).end());
    return last === "" ? undefined : encoder.encode(last);
  }
  private fold(ended: boolean): Fold {
    if (this.seen) return this.seen;
    const { fold, error } = this.edges.foldedEnds(ended, ended ? this.frames.terminal : null);
    this.failure ??= error;
    this.reported = error !== null;
    return (this.seen = fold);
  }
}

/** The text and tool calls in passing frames; frames that cannot be read say nothing. */
function textOf(wire: string, { decode }: Dialect): string {
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

/** Of a longer one it is not found out whether it was cut. */
const MAX_REST = 1024 * 1024;
/** A last frame that came without the blank line behind it; nothing of one that was cut in its middle. */
function wholeRest(rest: Uint8Array, { decode }: Dialect): string {
  if (rest.length === 0 || rest.length > MAX_REST) return "";
  const frames = framesOf(rest);
  if (frames.every(({ data }) => data === "")) return "";
  try {
    for (const frame of frames) decode.event(frame, decode.start());
  } catch (thrown) {
    if (!UpstreamFailure.is(thrown)) return "";
  }
  return `${decoder.decode(rest).trimEnd()}\n\n`;
}

/** Comments and pings keep a connection open, and no answer going. Nearly every chunk is told from them by its length. */
function saysNothing(chunk: Uint8Array, { decode }: Dialect): boolean {
  if ((chunk[0] !== COLON && chunk.length >= SHORTEST) || chunk.at(-1) !== LF) return false;
  try {
    return framesOf(chunk).every((frame) => decode.event(frame, decode.start()).length === 0);
  } catch {
    return false; // it says something, if nothing good
  }
}
const COLON = 58;
const LF = 10;
/** No event of a dialect with an answer in it is shorter. */
const SHORTEST = 64;
