import { type ByteSource, GatewayError, type JsonText, type MaybePromise, nextTurn } from "#contract";
import { AT_ONCE, received } from "../json/utf8.ts";
import { nestingCost, textCost } from "../json/memory-cost.ts";
import type { Exchange } from "./exchange.ts";
import type { Answering } from "./socket.ts";
import { NotUnpacked, packings, unpacked } from "./unpack.ts";
import { MAX_WHOLE, tooLarge } from "../json/whole.ts";

/** What an upstream answered. Read it once: whole by `text`, or piece by piece by `pieces`. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  /** Also of what is no JSON: long ones as bytes. */
  text(): Promise<JsonText>;
  /** `null` when there is no body. */
  pieces(): ByteSource | null;
}
/** The web's own reader: what a body is until it is watched. */
export type WebReader = Pick<ReadableStreamDefaultReader<Uint8Array>, "read" | "cancel">;
type WebRead = Awaited<ReturnType<WebReader["read"]>>;

const NO_BODY: ReadonlySet<number> = new Set([204, 205, 304]);

/** The response as an answer, watched: its exchange ends when the body has been read, cancelled or has failed. */
export function answered(response: Answering, exchange: Exchange, maxWhole = MAX_WHOLE): Answer {
  const { status, headers } = response;
  if (status < 200 || status > 599) throw refused(exchange, `it answered with the status ${status}`); // the runtime passes on any three digits
  if (NO_BODY.has(status) || exchange.request.method === "HEAD" || headers.get("content-length") === "0") {
    exchange.end();
    return { status, headers, text: () => Promise.resolve(""), pieces: () => null };
  }
  exchange.answered();
  return new OpenAnswer(response, exchange, maxWhole);
}

/** Cuts the exchange, for what is not the upstream's to say. */
function refused(exchange: Exchange, why: string): GatewayError {
  const error = new GatewayError("UPSTREAM_INVALID", { provider: exchange.request.caller, why });
  exchange.cut(error);
  return error;
}

class OpenAnswer implements Answer {
  readonly status: number;
  readonly headers: Headers;
  constructor(
    private readonly response: Answering,
    private readonly exchange: Exchange,
    private readonly maxWhole: number,
  ) {
    this.status = response.status;
    this.headers = response.headers;
  }
  async text(): Promise<JsonText> {
    try {
      const text = (await this.whole()) ?? this.cut();
      this.exchange.request.held?.grow(nestingCost(text)); // before anybody parses it
      return text;
    } catch (error) {
      throw failure(error, this.exchange);
    } finally {
      this.exchange.end();
    }
  }
  /** `undefined` when it is larger than allowed. What says its true length is left to the runtime, which is quicker. */
  private whole(): Promise<JsonText | undefined> {
    const { held } = this.exchange.request;
    const length = trueLength(this.headers);
    if (length <= Math.min(AT_ONCE, this.maxWhole)) {
      held?.grow(textCost(length));
      return this.response.text();
    }
    const bytes = this.bytes();
    return bytes === null ? Promise.resolve("") : boundedText(bytes, this.maxWhole, (size) => held?.grow(textCost(size)));
  }
  private cut(): never {
    throw refused(this.exchange, tooLarge(this.maxWhole));
  }
  pieces(): ByteSource | null {
    try {
      const bytes = this.bytes();
      if (bytes !== null) return new WatchedPieces(bytes, this.exchange);
    } catch (thrown) {
      throw failure(thrown, this.exchange);
    }
    this.exchange.end();
    return null;
  }
  private bytes(): WebReader | null {
    const { body } = this.response;
    if (body === null) return null;
    const packed = packings(this.headers.get("content-encoding"));
    const reader: WebReader = body.getReader();
    return packed.length === 0 ? reader : unpacked(reader, packed);
  }
}

/** Bytes that the body has for certain; NaN where its headers do not tell. */
function trueLength(headers: Headers): number {
  const length = headers.get("content-length");
  return length === null || headers.has("content-encoding") || headers.has("transfer-encoding") ? Number.NaN : Number(length);
}

/** After an error of our own the upstream would go on sending: its exchange is cut. */
function failure(thrown: unknown, exchange: Exchange): GatewayError {
  if (thrown instanceof NotUnpacked) return refused(exchange, thrown.message);
  if (GatewayError.is(thrown)) exchange.cut(thrown);
  return exchange.fail(thrown);
}

/** `undefined` when it is larger than allowed. `grows` is told of each piece. */
export async function boundedText(from: WebReader, limit: number, grows?: (bytes: number) => void): Promise<JsonText | undefined> {
  const pieces: Uint8Array[] = [];
  let size = 0;
  try {
    for (let read = await from.read(); !read.done; read = await from.read()) {
      size += read.value.length;
      if (size > limit) return void from.cancel().catch(() => undefined); // it is cut by its owner
      grows?.(read.value.length);
      pieces.push(read.value);
    }
  } catch (thrown) {
    void from.cancel().catch(() => undefined); // nobody reads on
    throw thrown;
  }
  return received(pieces);
}

class WatchedPieces implements ByteSource {
  private kept = 0;
  /** What has been read and not been asked for. */
  private rest: Uint8Array | undefined;
  constructor(
    private readonly bytes: WebReader,
    private readonly exchange: Exchange,
  ) {}

  /** No function of its own for each read: of those, a stream has thousands. */
  read(): Promise<Uint8Array | undefined> {
    if (this.rest !== undefined) return this.nextSlice(this.rest);
    return this.bytes.read().then(this.came, this.reportBroken);
  }
  private readonly came = ({ value }: WebRead): MaybePromise<Uint8Array | undefined> => {
    if (value === undefined) this.exchange.end();
    else this.exchange.alive();
    return value !== undefined && value.length > SLICE_BYTES ? this.nextSlice(value) : value;
  };
  /** An upstream that is far ahead comes in pieces of megabytes: whoever reads them takes them slice by slice, and others have their turn. */
  private slice(bytes: Uint8Array): Uint8Array {
    this.rest = bytes.length > SLICE_BYTES ? bytes.subarray(SLICE_BYTES) : undefined;
    return bytes.subarray(0, SLICE_BYTES);
  }
  private async nextSlice(rest: Uint8Array): Promise<Uint8Array> {
    await nextTurn();
    return this.slice(rest);
  }
  private readonly reportBroken = (error: unknown): never => {
    throw failure(error, this.exchange);
  };
  unheard(): void {
    this.exchange.unheard();
  }
  keeps(bytes: number): void {
    if (bytes === this.kept) return;
    this.exchange.request.held?.grow(bytes - this.kept);
    this.kept = bytes;
  }
  cancel(): Promise<void> {
    this.rest = undefined;
    this.exchange.end();
    return this.bytes.cancel().catch(() => undefined); // what has broken already cannot be cancelled, and who read it was told why
  }
}
/** So much of a stream is read in one turn: a hundred frames are usual, ten thousand blank ones take ten milliseconds. */
const SLICE_BYTES = 16 * 1024;

/** An answer of the gateway's own making in place of an upstream's. */
export const answerOf = (response: Response): Answer => ({
  status: response.status,
  headers: response.headers,
  text: async () => (response.body ? ((await boundedText(response.body.getReader(), MAX_WHOLE)) ?? refuse()) : ""), // who asks knows whose answer it is
  pieces: () => (response.body ? sourceOf(response.body.getReader()) : null),
});

const sourceOf = (reader: WebReader): ByteSource => ({
  read: () => reader.read().then(bytesIn),
  cancel: () => reader.cancel().catch(() => undefined),
});
const bytesIn = ({ value }: WebRead): Uint8Array | undefined => value;

const refuse = (): never => {
  throw new Error(tooLarge(MAX_WHOLE));
};
