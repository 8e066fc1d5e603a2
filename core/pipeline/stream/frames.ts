import { crc32 } from "node:zlib";
import { EventStreamCodec } from "@smithy/core/event-streams";
import { type Frame, type FrameFormat, messageOf } from "#contract";
import { ByteQueue } from "../../json/byte-queue.ts";

const utf8 = new TextDecoder();

/** Turns a stream's bytes into frames, whatever the chunk boundaries; linear in the input. One reader per stream. */
export interface FrameReader {
  push(bytes: Uint8Array): readonly Frame[];
  /** Characters or bytes of an event that has not ended. */
  readonly held: number;
  /** What an unterminated last frame holds. */
  end(): readonly Frame[];
}

const READERS: { readonly [F in FrameFormat]: () => FrameReader } = {
  sse: () => new LineReader(new SseLines()),
  "json-lines": () => new LineReader(new JsonLines()),
  "aws-eventstream": () => new EventStreamReader(),
};

export const frameReader = (format: FrameFormat): FrameReader => READERS[format]();

/** The server-sent events in bytes that are all there, with what an unterminated last one holds. */
export function framesOf(bytes: Uint8Array): readonly Frame[] {
  const out: Frame[] = [];
  const sink = new SseLines();
  const wire = utf8.decode(bytes);
  sink.end(wire, eachLine(wire, sink, out), out);
  return out;
}

/** Receives lines as places in a text, so that only what is kept of a line becomes a text of its own. */
interface LineSink {
  line(text: string, from: number, to: number, out: Frame[]): void;
  /** The end of the stream, and where what has no line end begins. */
  end(text: string, from: number, out: Frame[]): void;
  /** Characters of whole lines whose event has not ended. */
  readonly held: number;
}

/** Characters of one line, or bytes of one event: an upstream that never ends one must not fill the memory, nor keep others waiting while it is read. */
export const MAX_EVENT = 32 * 1024 * 1024;
const refuseMore = (): never => {
  throw new SyntaxError(`one event of its stream is not of a size between 16 bytes and ${MAX_EVENT / 1024 / 1024} MB`);
};

/** Lines of one event: some servers write its JSON down in several. */
const MAX_LINES = 10_000;

class LineReader implements FrameReader {
  private readonly decoder = new TextDecoder();
  private rest = "";
  constructor(private readonly sink: LineSink) {}

  get held(): number {
    return this.rest.length + this.sink.held;
  }
  push(bytes: Uint8Array): readonly Frame[] {
    const out: Frame[] = [];
    const text = this.decoder.decode(bytes, { stream: true });
    if (!text.includes("\n"))
      this.rest += text; // a long line is looked at once, when it ends
    else this.lines(this.rest + text, out);
    return this.rest.length > MAX_EVENT ? refuseMore() : out;
  }
  end(): readonly Frame[] {
    const out: Frame[] = [];
    this.lines(this.rest + this.decoder.decode(), out);
    this.sink.end(this.rest, 0, out);
    return out;
  }
  private lines(text: string, out: Frame[]): void {
    const left = eachLine(text, this.sink, out);
    this.rest = left === 0 ? text : text.slice(left);
  }
}

/** Feeds whole lines to the sink; returns where what is left begins. Ends are LF or CRLF. */
function eachLine(text: string, sink: LineSink, out: Frame[]): number {
  let from = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
    sink.line(text, from, at > from && text.charCodeAt(at - 1) === CR ? at - 1 : at, out);
    from = at + 1;
  }
  return from;
}
const CR = 13;
const SPACE = 32;

/** The server-sent events format: `event:` and `data:` lines, a blank line ends an event, `:` begins a comment. */
class SseLines implements LineSink {
  private event = "";
  private data: string | null = null;
  private lines = 0;

  get held(): number {
    return this.data?.length ?? 0;
  }
  line(text: string, from: number, to: number, out: Frame[]): void {
    if (from === to) this.flush(out);
    else if (text.startsWith("data:", from)) this.add(text.slice(text.charCodeAt(from + 5) === SPACE ? from + 6 : from + 5, to));
    else if (text.startsWith("event:", from)) this.event = text.slice(from + 6, to).trim();
  }
  end(text: string, from: number, out: Frame[]): void {
    if (from < text.length) this.line(text, from, text.endsWith("\r") ? text.length - 1 : text.length, out);
    this.flush(out);
  }
  private add(line: string): void {
    this.data = this.data === null ? line : `${this.data}\n${line}`;
    if (this.data.length > MAX_EVENT) refuseMore();
    this.lines += 1;
    if (this.lines > MAX_LINES) throw new SyntaxError(`one event of its stream has more than ${MAX_LINES} lines`);
  }
  private flush(out: Frame[]): void {
    if (this.data !== null) out.push({ event: this.event, data: this.data });
    this.event = "";
    this.data = null;
    this.lines = 0;
  }
}

/** One JSON value a line. */
class JsonLines implements LineSink {
  readonly held = 0;
  line(text: string, from: number, to: number, out: Frame[]): void {
    const data = text.slice(from, to);
    if (data.trim() !== "") out.push({ event: "", data });
  }
  end(text: string, from: number, out: Frame[]): void {
    this.line(text, from, text.endsWith("\r") ? text.length - 1 : text.length, out);
  }
}

/** Prelude and checksum. */
const SMALLEST_MESSAGE = 16;

/**
 * AWS's binary event stream: length-prefixed messages of headers and a payload
 * (total length, header length, prelude CRC, headers, payload, message CRC; big-endian). What a message holds, and
 * whether it came undamaged, the codec says; where it ends is found here.
 */
class EventStreamReader implements FrameReader {
  /** What has arrived of the next message; joined once its end is there, for a long one comes in thousands of pieces. */
  private readonly bytes = new ByteQueue();
  /** Bytes that must be there before anything can be told: of the prelude, then of the whole message. */
  private wanted = PRELUDE;

  get held(): number {
    return this.bytes.size;
  }
  push(bytes: Uint8Array): readonly Frame[] {
    this.bytes.add(bytes);
    return this.bytes.size < this.wanted ? NO_FRAMES : this.messages();
  }
  end(): readonly Frame[] {
    return [];
  }
  private messages(): readonly Frame[] {
    const out: Frame[] = [];
    for (;;) {
      this.wanted = this.bytes.size < PRELUDE ? PRELUDE : sizeOf(this.bytes.front(PRELUDE));
      if (this.bytes.size < this.wanted) return out;
      out.push(frameOf(messageIn(this.bytes.take(this.wanted))));
    }
  }
}
const NO_FRAMES: readonly Frame[] = [];
/** Bytes that tell a message's length, and their checksum. */
const PRELUDE = 12;
/** AWS allows no more; each of millions of names would be remembered. */
const MAX_HEADERS = 128 * 1024;
/** A length that was damaged would have the rest of the stream waited for in vain. */
function sizeOf(message: Uint8Array): number {
  const view = new DataView(message.buffer, message.byteOffset, PRELUDE);
  const size = view.getUint32(0);
  if (size < SMALLEST_MESSAGE || size > MAX_EVENT) return refuseMore();
  if (crc32(message.subarray(0, 8)) !== view.getUint32(8)) throw damaged("the checksum of its length is another's");
  if (view.getUint32(4) > MAX_HEADERS) throw damaged(`its headers are longer than ${MAX_HEADERS / 1024} kB`);
  return size;
}

const codec = new EventStreamCodec(
  (bytes: Uint8Array) => utf8.decode(bytes),
  (text) => new TextEncoder().encode(text),
);
type Message = ReturnType<EventStreamCodec["decode"]>;
function messageIn(bytes: Uint8Array): Message {
  try {
    return codec.decode(bytes);
  } catch (thrown) {
    throw damaged(messageOf(thrown), thrown);
  }
}
const damaged = (why: string, cause?: unknown): SyntaxError => new SyntaxError(`an event of its stream cannot be read: ${why}`, { cause });

const frameOf = ({ headers, body }: Message): Frame => ({
  event: textOf(headers[":event-type"]) ?? textOf(headers[":exception-type"]) ?? "",
  data: utf8.decode(body),
});
const textOf = (header: Message["headers"][string] | undefined): string | undefined =>
  header?.type === "string" ? header.value : undefined;
