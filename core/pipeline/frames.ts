import type { Frame, FrameFormat } from "#contract";

/** Turns a stream's bytes into frames, whatever the chunk boundaries; linear in the input. One reader per stream. */
export interface FrameReader {
  push(bytes: Uint8Array): readonly Frame[];
  /** What an unterminated last frame holds. */
  end(): readonly Frame[];
}

const READERS: { readonly [F in FrameFormat]: () => FrameReader } = {
  sse: () => lineReader(sseLines()),
  "json-lines": () => lineReader(jsonLines()),
  "aws-eventstream": () => new EventStreamReader(),
};

export const frameReader = (format: FrameFormat): FrameReader => READERS[format]();

/** Receives one line without its end; `null` marks the end of the stream. */
type LineSink = (line: string | null, out: Frame[]) => void;

/** Characters of one line or bytes of one message that are held: an upstream that never ends one must not fill the memory. */
const MAX_HELD = 64 * 1024 * 1024;
const refuseMore = (): never => {
  throw new Error(`one event of its stream is not of a size between 16 bytes and ${MAX_HELD / 1024 / 1024} MB`);
};

function lineReader(sink: LineSink): FrameReader {
  const decoder = new TextDecoder();
  let rest = "";
  return {
    push(bytes) {
      const out: Frame[] = [];
      const text = decoder.decode(bytes, { stream: true });
      if (!text.includes("\n"))
        rest += text; // a long line is looked at once, when it ends
      else rest = eachLine(rest + text, sink, out);
      return rest.length > MAX_HELD ? refuseMore() : out;
    },
    end() {
      const out: Frame[] = [];
      rest = eachLine(rest + decoder.decode(), sink, out);
      if (rest !== "") sink(rest.endsWith("\r") ? rest.slice(0, -1) : rest, out);
      sink(null, out);
      return out;
    },
  };
}

/** Feeds whole lines to the sink; returns what is left. Ends are LF or CRLF. */
function eachLine(text: string, sink: LineSink, out: Frame[]): string {
  let from = 0;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", from)) {
    const to = at > from && text.charCodeAt(at - 1) === 13 ? at - 1 : at;
    sink(text.slice(from, to), out);
    from = at + 1;
  }
  return from === 0 ? text : text.slice(from);
}

/** The server-sent events format: `event:` and `data:` lines, a blank line ends an event, `:` begins a comment. */
function sseLines(): LineSink {
  let event = "";
  let data: string | null = null;
  const flush = (out: Frame[]): void => {
    if (data !== null) out.push({ event, data });
    event = "";
    data = null;
  };
  return (line, out) => {
    if (line === null || line === "") return flush(out);
    if (line.startsWith("data:")) {
      const text = line.slice(line.charCodeAt(5) === 32 ? 6 : 5);
      data = data === null ? text : `${data}\n${text}`;
      if (data.length > MAX_HELD) refuseMore();
    } else if (line.startsWith("event:")) event = line.slice(6).trim();
  };
}

/** One JSON value a line. */
function jsonLines(): LineSink {
  return (line, out) => {
    if (line !== null && line.trim() !== "") out.push({ event: "", data: line });
  };
}

/** Prelude and checksum. */
const SMALLEST_MESSAGE = 16;

/**
 * AWS's binary event stream: length-prefixed messages of headers and a payload
 * (total length, header length, prelude CRC, headers, payload, message CRC; big-endian).
 */
class EventStreamReader implements FrameReader {
  private pending = new Uint8Array(0);

  push(bytes: Uint8Array): readonly Frame[] {
    this.pending = joined(this.pending, bytes);
    const out: Frame[] = [];
    for (let size = this.nextSize(); size > 0 && this.pending.length >= size; size = this.nextSize()) {
      out.push(message(this.pending.subarray(0, size)));
      this.pending = this.pending.subarray(size);
    }
    return out;
  }
  end(): readonly Frame[] {
    return [];
  }
  private nextSize(): number {
    if (this.pending.length < 12) return 0;
    const size = view(this.pending).getUint32(0);
    return size < SMALLEST_MESSAGE || size > MAX_HELD ? refuseMore() : size;
  }
}

const view = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);

function joined(a: Uint8Array, b: Uint8Array): Uint8Array<ArrayBuffer> {
  const out = new Uint8Array(a.length + b.length);
  out.set(a);
  out.set(b, a.length);
  return out;
}

const text = new TextDecoder();

function message(bytes: Uint8Array): Frame {
  const headersEnd = 12 + view(bytes).getUint32(4);
  const headers = eventHeaders(bytes.subarray(12, headersEnd));
  const event = headers.get(":event-type") ?? headers.get(":exception-type") ?? "";
  return { event, data: text.decode(bytes.subarray(headersEnd, bytes.length - 4)) };
}

/** Only string headers (type 7) occur on these wires. */
function eventHeaders(bytes: Uint8Array): Map<string, string> {
  const headers = new Map<string, string>();
  for (let at = 0; at < bytes.length; ) {
    const nameLength = bytes[at] ?? 0;
    const name = text.decode(bytes.subarray(at + 1, at + 1 + nameLength));
    const valueAt = at + 1 + nameLength + 3;
    const length = view(bytes).getUint16(valueAt - 2);
    headers.set(name, text.decode(bytes.subarray(valueAt, valueAt + length)));
    at = valueAt + length;
  }
  return headers;
}
