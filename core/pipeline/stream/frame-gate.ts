import { type Dialect, GatewayError } from "#contract";
import { LONG } from "../../json/long-json.ts";
import { firstFrameEnd, lastFrameEnd } from "./frame-ends.ts";
import { MAX_EVENT } from "./frames.ts";
import type { Marker } from "./marker.ts";
import { tooLarge } from "../../json/whole.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Lets only whole frames through, so that a cut never leaves half a frame with the client; can keep usage frames back. */
export class FrameGate {
  /** The pieces of a frame that has not ended: looked at once each, and joined when it ends. */
  private carry: Uint8Array[] = [];
  private size = 0;
  /** The last bytes of what is held: a blank line may begin there. */
  private seam: Uint8Array = NOTHING;
  /** What else of a long frame, and of what came behind it, may go to the client now: piece by piece, as it came. */
  private readonly released: Uint8Array[] = [];
  private releasedBytes = 0;
  /** The terminal marker has passed. */
  ended = false;
  /** Bytes that came behind it, and are let through to nobody. */
  behind = 0;
  /** The frame of a terminal event that may repeat the whole answer: what stands in it may be more than anybody keeps of a stream's end. */
  terminal: TerminalFrame | null = null;
  constructor(
    private readonly hideUsageOf: Dialect | null,
    private readonly marker: Marker | null,
    private readonly provider: string,
  ) {}

  /** Bytes of a frame that has not ended, and of one that has and is still to go. */
  get held(): number {
    return this.size + this.releasedBytes;
  }

  /** What may go beside what the last push gave. */
  more(): Uint8Array | undefined {
    const piece = this.released.shift();
    this.releasedBytes -= piece?.length ?? 0;
    return piece;
  }
  push(chunk: Uint8Array): Uint8Array {
    const whole = this.size === 0 && lastFrameEnd(chunk) === chunk.length; // how nearly every chunk comes
    return whole ? this.visible(chunk) : this.joined(chunk);
  }
  /** The beginning of a frame that never ended. */
  end(): Uint8Array {
    return this.size === 0 ? NOTHING : this.visible(Buffer.concat(this.carry));
  }
  private joined(chunk: Uint8Array): Uint8Array {
    if (this.size > 0 && !this.endsIn(chunk)) return this.carryOver(chunk);
    if (this.size > LONG) return this.long(chunk);
    const bytes = this.size === 0 ? chunk : Buffer.concat([...this.carry, chunk]);
    [this.carry, this.size, this.seam] = [[], 0, NOTHING];
    const end = lastFrameEnd(bytes);
    if (end === bytes.length) return this.visible(bytes);
    this.carryOver(bytes.subarray(end));
    return this.visible(bytes.subarray(0, end));
  }
  /** It is no usage frame, and not joined: whatever was made of so many bytes in one go would keep others waiting. */
  private long(chunk: Uint8Array): Uint8Array {
    const end = firstFrameEnd(Buffer.concat([this.seam, chunk])) - this.seam.length;
    const pieces = [...this.carry, chunk.subarray(0, end)];
    const [first = NOTHING, ...rest] = pieces;
    [this.carry, this.size, this.seam] = [[], 0, NOTHING];
    const event = this.marker?.eventOf(beginningOf(pieces)) ?? null;
    if (event !== null) this.endLong(event, pieces, chunk.length - end);
    const behind = event === null && end < chunk.length ? this.push(chunk.subarray(end)) : NOTHING;
    for (const piece of [...rest, behind]) this.release(piece);
    return first;
  }
  private endLong(event: string, pieces: readonly Uint8Array[], behind: number): void {
    this.ended = true;
    this.behind = behind;
    this.terminal = { event, tail: endOf(pieces) };
  }
  private release(piece: Uint8Array): void {
    if (piece.length === 0) return;
    this.released.push(piece);
    this.releasedBytes += piece.length;
  }
  private endsIn(chunk: Uint8Array): boolean {
    return lastFrameEnd(chunk) > 0 || lastFrameEnd(Buffer.concat([this.seam, chunk.subarray(0, SEAM)])) > 0; // of the chunk nothing is copied
  }
  private carryOver(part: Uint8Array): Uint8Array {
    this.size += part.length;
    if (this.size > MAX_EVENT)
      throw new GatewayError("UPSTREAM_INVALID", { provider: this.provider, why: tooLarge(MAX_EVENT, "one event") });
    this.carry.push(part);
    this.seam = (part.length < SEAM ? Buffer.concat([this.seam, part]) : part).subarray(-SEAM);
    return NOTHING;
  }
  private visible(bytes: Uint8Array): Uint8Array {
    const end = this.marker?.endIn(bytes) ?? -1;
    return this.withUsageHidden(end < 0 ? bytes : this.upToMarker(bytes, end));
  }
  private upToMarker(bytes: Uint8Array, end: number): Uint8Array {
    this.ended = true;
    this.behind = bytes.length - end + this.size;
    this.terminal = { frame: bytes.subarray(0, end) };
    [this.carry, this.size] = [[], 0];
    return bytes.subarray(0, end);
  }
  private withUsageHidden(bytes: Uint8Array): Uint8Array {
    const dialect = this.hideUsageOf;
    if (!dialect) return bytes;
    const at = usageIn(bytes);
    return at < 0 ? bytes : hidden(bytes, lastFrameEnd(bytes.subarray(0, at)), dialect);
  }
}
const NOTHING = new Uint8Array(0);
/** What stands up to a terminal marker; of an event longer than LONG, its name and its end. */
export type TerminalFrame = { readonly frame: Uint8Array } | { readonly event: string; readonly tail: Uint8Array };
/** Bytes in which a frame says its event. */
const NAME = 256;
/** Bytes in which the usage of a long event stands. */
const LONG_TAIL = 16 * 1024;
function beginningOf(pieces: readonly Uint8Array[]): Uint8Array {
  const found: Uint8Array[] = [];
  for (let at = 0, bytes = 0; at < pieces.length && bytes < NAME; bytes += pieces[at]?.length ?? 0, at += 1)
    found.push(pieces[at] ?? NOTHING);
  return Buffer.concat(found).subarray(0, NAME);
}
function endOf(pieces: readonly Uint8Array[]): Uint8Array {
  const found: Uint8Array[] = [];
  for (let at = pieces.length - 1, bytes = 0; at >= 0 && bytes < LONG_TAIL; bytes += pieces[at]?.length ?? 0, at -= 1)
    found.unshift(pieces[at] ?? NOTHING);
  return Buffer.concat(found).subarray(-LONG_TAIL);
}
/** Bytes of a frame's end that may come before the last one: CR LF CR. */
const SEAM = 3;
const USAGE = '"usage"';
const USAGE_BYTES = Buffer.from(USAGE);
const usageIn = (bytes: Uint8Array): number => Buffer.prototype.indexOf.call(bytes, USAGE_BYTES); // a Buffer of its own for each chunk would cost more than the search

/** Frames that speak of usage begin here; what comes before them is not read. */
function hidden(bytes: Uint8Array, from: number, dialect: Dialect): Uint8Array {
  const text = decoder.decode(bytes.subarray(from)).replace(ASKED_FOR, ""); // providers that are asked for usage say null until they know
  const shown = encoder.encode(text.includes(USAGE) ? withoutUsage(text, dialect) : text);
  return from === 0 ? shown : Buffer.concat([bytes.subarray(0, from), shown]);
}
/** Inside a JSON text an unescaped quote ends a string, so this can only be a member. */
const ASKED_FOR = /,"usage":\s?null(?=[,}])/g;

function withoutUsage(text: string, dialect: Dialect): string {
  let shown = "";
  for (let from = 0, to = 0; from < text.length; from = to) {
    to = frameEnd(text, from);
    const frame = text.slice(from, to);
    if (!frame.includes(USAGE) || !isUsage(frame, dialect)) shown += frame;
  }
  return shown;
}

function isUsage(frame: string, dialect: Dialect): boolean {
  const line = frame.split("\n").find((text) => text.startsWith("data:"));
  return line !== undefined && dialect.isUsageFrame(line.slice(5).trim());
}

/** Index just behind the blank line of the frame that begins here. */
function frameEnd(text: string, from: number): number {
  for (let at = text.indexOf("\n", from); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (text.startsWith("\n", at + 1)) return at + 2;
    if (text.startsWith("\r\n", at + 1)) return at + 3;
  }
  return text.length;
}
