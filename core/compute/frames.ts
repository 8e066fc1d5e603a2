import { ByteQueue } from "../json/byte-queue.ts";

/**
 * What passes through the pipes between the gateway and its compute processes: a kind, a length, and that many bytes.
 * Texts keep every code unit they have, a lone surrogate too, so that a check finds the same in either process.
 */
export type FrameKind = "json" | "latin1" | "utf16le" | "bytes";
export interface Frame {
  readonly kind: FrameKind;
  readonly bytes: Buffer;
}

const KINDS = ["json", "latin1", "utf16le", "bytes"] as const satisfies readonly FrameKind[];
const HEADER_BYTES = 5;
/** A frame that says it is longer comes from a process that has lost its mind. */
const MAX_FRAME_BYTES = 64 * 1024 * 1024;
/** Characters of a text in one frame: about a millisecond's work. */
const CHUNK_CHARS = 128 * 1024;

export function jsonFrame(text: string): Buffer {
  const frame = framed("json", Buffer.byteLength(text));
  frame.write(text, HEADER_BYTES);
  return frame;
}

/** How many frames a text takes. */
export const chunksOf = ({ length }: string): number => Math.ceil(length / CHUNK_CHARS);

/** A text in frames, each made when it is asked for. */
export function* textFrames(text: string): Generator<Buffer> {
  for (let at = 0; at < text.length; at += CHUNK_CHARS) yield textFrame(text.slice(at, at + CHUNK_CHARS));
}

/** Bytes in frames, each made when it is asked for. */
export function* bytesFrames(bytes: Uint8Array): Generator<Buffer> {
  for (let at = 0; at < bytes.length; at += CHUNK_CHARS) {
    const chunk = bytes.subarray(at, at + CHUNK_CHARS);
    const frame = framed("bytes", chunk.length);
    frame.set(chunk, HEADER_BYTES);
    yield frame;
  }
}
/** How many frames they take. */
export const framesOfBytes = ({ length }: Uint8Array): number => Math.ceil(length / CHUNK_CHARS);

function textFrame(chunk: string): Buffer {
  const wide = /[\u0100-\uffff]/.test(chunk);
  const frame = framed(wide ? "utf16le" : "latin1", wide ? chunk.length * 2 : chunk.length);
  frame.write(chunk, HEADER_BYTES, wide ? "utf16le" : "latin1");
  return frame;
}

function framed(kind: FrameKind, size: number): Buffer {
  const frame = Buffer.allocUnsafe(HEADER_BYTES + size);
  frame.writeUInt8(KINDS.indexOf(kind), 0);
  frame.writeUInt32LE(size, 1);
  return frame;
}

const ENCODINGS = { json: "utf8", latin1: "latin1", utf16le: "utf16le", bytes: "utf8" } as const satisfies Record<FrameKind, string>;
export const textOf = ({ kind, bytes }: Frame): string => bytes.toString(ENCODINGS[kind]);

/** Puts frames together from bytes as they come. */
export class FrameReader {
  private readonly bytes = new ByteQueue();

  constructor(private readonly maxBytes = MAX_FRAME_BYTES) {}

  *push(piece: Uint8Array): Generator<Frame> {
    this.bytes.add(piece);
    for (let frame = this.next(); frame; frame = this.next()) yield frame;
  }

  private next(): Frame | undefined {
    if (this.bytes.size < HEADER_BYTES) return undefined;
    const header = this.bytes.front(HEADER_BYTES);
    const [kind, size] = [KINDS[header.readUInt8(0)], header.readUInt32LE(1)];
    if (kind === undefined || size > this.maxBytes) throw new Error("the other process sent something that is no frame");
    if (this.bytes.size < HEADER_BYTES + size) return undefined;
    return { kind, bytes: this.bytes.take(HEADER_BYTES + size).subarray(HEADER_BYTES) };
  }
}
