import { randomBytes } from "node:crypto";
import { ByteQueue } from "../../json/byte-queue.ts";

/* The frames of RFC 6455, as a client writes them and reads a server's. */

export const CONTINUATION = 0x0;
export const TEXT = 0x1;
export const BINARY = 0x2;
export const CLOSE = 0x8;
export const PING = 0x9;
export const PONG = 0xa;

export interface Frame {
  readonly opcode: number;
  readonly isLast: boolean;
  readonly payload: Buffer;
}

/** What a server may not send; `code` is what it is told. */
export class FrameFault extends Error {
  constructor(
    readonly code: 1002 | 1007 | 1009,
    message: string,
  ) {
    super(message);
  }
}

const LAST = 0x80;
const MASKED = 0x80;
const RESERVED = 0x70;
const CONTROL = 0x8;
/** A length in two bytes, in eight. */
const LONG = 126;
const LONGER = 127;
const MAX_CONTROL = 125;

/** A whole message, or a control frame, as a client writes it: masked, with a key nobody can foresee. */
export function written(opcode: number, payload: Uint8Array): Buffer {
  const head = headOf(opcode, payload.length);
  const frame = Buffer.allocUnsafe(head.length + payload.length);
  head.copy(frame);
  mask(payload, head.subarray(-4), frame.subarray(head.length));
  return frame;
}

function headOf(opcode: number, length: number): Buffer {
  const extended = length < LONG ? 0 : length < 65_536 ? 2 : 8;
  const head = Buffer.allocUnsafe(2 + extended + 4);
  head[0] = LAST | opcode;
  head[1] = MASKED | (extended === 0 ? length : extended === 2 ? LONG : LONGER);
  if (extended === 2) head.writeUInt16BE(length, 2);
  if (extended === 8) head.writeBigUInt64BE(BigInt(length), 2);
  randomBytes(4).copy(head, 2 + extended);
  return head;
}

function mask(from: Uint8Array, key: Uint8Array, to: Uint8Array): void {
  const [a = 0, b = 0, c = 0, d = 0] = key;
  const whole = from.length - (from.length % 4);
  for (let at = 0; at < whole; at += 4) {
    to[at] = (from[at] as number) ^ a; // within
    to[at + 1] = (from[at + 1] as number) ^ b;
    to[at + 2] = (from[at + 2] as number) ^ c;
    to[at + 3] = (from[at + 3] as number) ^ d;
  }
  for (let at = whole; at < from.length; at += 1) to[at] = (from[at] as number) ^ (key[at % 4] as number);
}

/** What has arrived of one connection, and the frames in it. A frame's length is judged before anything of it is kept. */
export class Frames {
  private readonly bytes = new ByteQueue();
  constructor(private readonly maxBytes: number) {}

  add(piece: Buffer): void {
    this.bytes.add(piece);
  }
  /** The next frame, when all of it is here. Throws `FrameFault`. */
  next(): Frame | undefined {
    const head = this.bytes.front(10);
    const [first = 0, second = 0] = head;
    if (head.length < 2) return undefined;
    judge(first, second);
    const short = second & LONGER;
    const extended = short < LONG ? 0 : short === LONG ? 2 : 8;
    if (head.length < 2 + extended) return undefined;
    const length = extended === 0 ? short : extended === 2 ? head.readUInt16BE(2) : Number(head.readBigUInt64BE(2));
    if (length > this.maxBytes) throw new FrameFault(1009, `a message is larger than ${this.maxBytes} bytes`);
    const all = 2 + extended + length;
    if (this.bytes.size < all) return undefined;
    return { opcode: first & 0xf, isLast: (first & LAST) !== 0, payload: this.bytes.take(all).subarray(2 + extended) };
  }
}

function judge(first: number, second: number): void {
  const opcode = first & 0xf;
  if ((first & RESERVED) !== 0) throw new FrameFault(1002, "a frame uses an extension that was not agreed");
  if ((second & MASKED) !== 0) throw new FrameFault(1002, "a server's frame is masked");
  if (opcode > PONG || (opcode > BINARY && opcode < CLOSE)) throw new FrameFault(1002, "a frame is of a kind there is not");
  if ((opcode & CONTROL) !== 0 && ((first & LAST) === 0 || (second & LONGER) > MAX_CONTROL))
    throw new FrameFault(1002, "a control frame is in pieces, or too long");
}
