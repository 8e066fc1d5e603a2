import { type Dialect, GatewayError } from "#contract";
import { MAX_WHOLE, tooLarge } from "../egress/answer.ts";

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Lets only whole frames through, so that a cut never leaves half a frame with the client; can keep usage frames back. */
export class WholeFrames {
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
  /** The beginning of a frame that never ended. */
  end(): Uint8Array {
    return this.size === 0 ? NOTHING : this.visible(Buffer.concat(this.carry));
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
    if (!dialect) return bytes;
    const at = usageIn(bytes);
    return at < 0 ? bytes : hidden(bytes, lastFrameEnd(bytes.subarray(0, at)), dialect);
  }
}
const NOTHING = new Uint8Array(0);
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

/** Index just behind the first blank line: what stands before it may be half a frame. */
export function firstFrameEnd(bytes: Uint8Array, from = 0): number {
  for (let at = from + 1; at < bytes.length; at += 1) if (endsFrame(bytes, at)) return at + 1;
  return bytes.length;
}

/** Index just behind the last blank line. */
export function lastFrameEnd(bytes: Uint8Array): number {
  for (let at = bytes.length - 1; at > 0; at -= 1) if (endsFrame(bytes, at)) return at + 1;
  return 0;
}

/** Does a blank line end with this byte? Lines end with LF or CRLF. */
const endsFrame = (bytes: Uint8Array, at: number): boolean =>
  bytes[at] === LF && (bytes[at - 1] === LF || (bytes[at - 1] === CR && bytes[at - 2] === LF));
const LF = 10;
const CR = 13;
