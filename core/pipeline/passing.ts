import { type Dialect, type EncodeOptions, type Frame, GatewayError, UpstreamFailure, type WireError } from "#contract";
import { MAX_WHOLE, tooLarge } from "../egress/answer.ts";
import { Fold } from "./collect.ts";
import { frameReader } from "./frames.ts";
import { type Chunks, errorOf, type Live, type Summary, wireError } from "./live.ts";

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

/** Enough to hold the last events of an answer: the finish, the usage, the terminal marker. */
const TAIL_BYTES = 16_384;
/** Where it mostly stands; more of the tail is read only when it does not. */
const QUICK_TAIL_BYTES = [640, 2_048] as const;

/** Forwards a stream's bytes untouched, whole frames at a time; looks only at its beginning and end. */
export class PassingStream implements Live {
  private first: Uint8Array | undefined;
  private tail: Uint8Array[] = [];
  private tailBytes = 0;
  private readonly frames: WholeFrames;
  private over = false;
  private seen: Fold | undefined;
  private failure: WireError | null = null;
  /** The provider's own error event has reached the client; it is not told twice. */
  private reported = false;

  constructor(private readonly from: Passing) {
    this.first = from.first;
    this.frames = new WholeFrames(from.hideUsage ? from.dialect : null, from.provider);
  }

  /** One promise for each chunk, not one for each step: with thousands of chunks a second that is what they cost. */
  async next(): Promise<Uint8Array | undefined> {
    try {
      while (!this.over) {
        const chunk = this.first ?? (await this.from.reader.read()).value;
        this.first = undefined;
        if (chunk === undefined) return this.ending();
        this.remember(chunk);
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
    const fold = this.fold();
    return {
      usage: fold.usage ?? null,
      model: fold.model ?? null,
      finished: fold.finished,
      error: this.failure,
      text: (wire) => said(wire, this.from.dialect),
    };
  }

  private remember(chunk: Uint8Array): void {
    this.tail.push(chunk);
    this.tailBytes += chunk.length;
    for (let oldest = this.tail[0]; oldest && this.tailBytes - oldest.length >= TAIL_BYTES; oldest = this.tail[0]) {
      this.tail.shift();
      this.tailBytes -= oldest.length;
    }
  }
  /** A complete answer's last bytes, or the dialect's error event in place of a frame that was cut. */
  private ending(): Uint8Array | undefined {
    this.over = true;
    const ended = isEnd(this.edges(Buffer.concat(this.tail).subarray(-QUICK_TAIL_BYTES[0])).at(-1), this.from); // a choice may have finished long before the tail
    const finished = this.fold().finished || ended;
    if (ended && !this.reported) this.failure = null; // a connection that breaks behind the end broke nothing
    if (!this.failure && !finished) this.failure = wireError(new GatewayError("STREAM_INCOMPLETE", { provider: this.from.provider }));
    if (this.failure && !this.reported) return encoder.encode(this.from.dialect.encode(this.from.encode).error(this.failure));
    const last =
      wholeRest(this.frames.end(), this.from.dialect) + (this.reported || ended ? "" : this.from.dialect.encode(this.from.encode).end());
    return last === "" ? undefined : encoder.encode(last);
  }
  private fold(): Fold {
    this.seen ??= this.folded();
    return this.seen;
  }
  /** Most answers say all in their last few frames; reading all of a tail at once would hold up other requests. */
  private folded(): Fold {
    const tail = Buffer.concat(this.tail);
    for (const bytes of QUICK_TAIL_BYTES) {
      const fold = this.foldOf(tail.subarray(-bytes));
      if ((fold.finished && fold.usage) || this.reported) return fold;
    }
    return this.foldOf(tail);
  }
  private foldOf(tail: Uint8Array): Fold {
    const fold = new Fold();
    const { decode } = this.from.dialect;
    const state = decode.start();
    try {
      for (const frame of this.edges(tail)) for (const event of decode.event(frame, state)) fold.add(event);
    } catch (thrown) {
      if (!(thrown instanceof UpstreamFailure)) return fold; // a frame cut in its middle: the answer stays as far as it came
      this.failure ??= thrown.error;
      this.reported = true;
    }
    return fold;
  }
  /** The whole frames of the beginning and of (the end of) the tail. */
  private edges(tail: Uint8Array = Buffer.concat(this.tail)): readonly Frame[] {
    if (this.tail[0] === this.from.first && tail.length === this.tailBytes) return framesOf(tail);
    return [...frameReader("sse").push(this.from.first), ...framesOf(tail.subarray(firstFrameEnd(tail)))];
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
  const marker = framesOf(encoder.encode(dialect.encode(encode).end())).at(-1);
  return last !== undefined && last.event === marker?.event && (last.event !== "" || last.data === marker.data);
}

function framesOf(bytes: Uint8Array): Frame[] {
  const reader = frameReader("sse");
  return [...reader.push(bytes), ...reader.end()];
}

/** Lets only whole frames through, so that a cut never leaves half a frame with the client; can keep usage frames back. */
class WholeFrames {
  /** The pieces of a frame that has not ended: looked at once each, and joined when it ends. */
  private carry: Uint8Array[] = [];
  private size = 0;
  /** The last bytes of what is held: a blank line may begin there. */
  private seam: Uint8Array = NOTHING;
  constructor(
    private readonly hideUsageOf: Dialect | null,
    private readonly provider: string,
  ) {}

  push(chunk: Uint8Array): Uint8Array {
    const whole = this.size === 0 && lastFrameEnd(chunk) === chunk.length; // how nearly every chunk comes
    return whole ? this.visible(chunk) : this.joined(chunk);
  }
  private joined(chunk: Uint8Array): Uint8Array {
    if (this.size > 0 && !this.endsIn(chunk)) return this.hold(chunk);
    const bytes = this.size === 0 ? chunk : Buffer.concat([...this.carry, chunk]);
    [this.carry, this.size, this.seam] = [[], 0, NOTHING];
    const end = lastFrameEnd(bytes);
    if (end === bytes.length) return this.visible(bytes);
    this.hold(bytes.subarray(end));
    return this.visible(bytes.subarray(0, end));
  }
  end(): Uint8Array {
    return this.visible(Buffer.concat(this.carry));
  }
  private endsIn(chunk: Uint8Array): boolean {
    return lastFrameEnd(Buffer.concat([this.seam, chunk])) > 0;
  }
  private hold(part: Uint8Array): Uint8Array {
    this.size += part.length;
    if (this.size > MAX_WHOLE)
      throw new GatewayError("UPSTREAM_INVALID", { provider: this.provider, why: tooLarge(MAX_WHOLE, "one event") });
    this.carry.push(part);
    this.seam = (part.length < SEAM ? Buffer.concat([this.seam, part]) : part).subarray(-SEAM);
    return NOTHING;
  }
  private visible(bytes: Uint8Array): Uint8Array {
    const dialect = this.hideUsageOf;
    if (!dialect || !mentionsUsage(bytes)) return bytes;
    const text = decoder.decode(bytes).replace(ASKED_FOR, ""); // providers that are asked for usage say null until they know
    return encoder.encode(
      text
        .split(/(?<=\r?\n\r?\n)/)
        .filter((frame) => !isUsage(frame, dialect))
        .join(""),
    );
  }
}
/** Inside a JSON text an unescaped quote ends a string, so this can only be a member. */
const ASKED_FOR = /,"usage":\s?null(?=[,}])/g;
const NOTHING = new Uint8Array(0);
/** Bytes of a frame's end that may come before the last one: CR LF CR. */
const SEAM = 3;
const USAGE = Buffer.from('"usage"');
const mentionsUsage = (bytes: Uint8Array): boolean => Buffer.prototype.includes.call(bytes, USAGE); // a Buffer of its own for each chunk would cost more than the search

function isUsage(frame: string, dialect: Dialect): boolean {
  const line = frame.split("\n").find((text) => text.startsWith("data:"));
  return line !== undefined && dialect.isUsageFrame(line.slice(5).trim());
}

/** Index just behind the first blank line: what stands before it may be half a frame. */
function firstFrameEnd(bytes: Uint8Array): number {
  for (let at = 1; at < bytes.length; at += 1) {
    if (bytes[at] === 10 && (bytes[at - 1] === 10 || (bytes[at - 1] === 13 && bytes[at - 2] === 10))) return at + 1;
  }
  return bytes.length;
}

/** Index just behind the last blank line. */
function lastFrameEnd(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at > 0; at -= 1) {
    if (bytes[at] !== 10) continue;
    if (bytes[at - 1] === 10 || (bytes[at - 1] === 13 && bytes[at - 2] === 10)) return at + 1;
  }
  return 0;
}
