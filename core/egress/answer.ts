import { GatewayError } from "#contract";
import type { Exchange } from "./exchange.ts";

/** What an upstream answered. Read it once: whole by `text`, or piece by piece by `pieces`. */
export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  text(): Promise<string>;
  /** `null` when there is no body. */
  pieces(): Pieces | null;
}
/** A body as it arrives. Nothing is read ahead of who asks. */
export interface Pieces {
  read(): Promise<Piece>;
  cancel(): Promise<void>;
}
export type Piece = { readonly done: false; readonly value: Uint8Array } | { readonly done: true; readonly value?: undefined };

/** Bytes, decoded, of an answer that is held in memory: an upstream must not fill it. */
export const MAX_WHOLE = 64 * 1024 * 1024;
export const tooLarge = (limit: number, what = "its answer"): string => `${what} is larger than ${limit / 1024 / 1024} MB`;

const NO_BODY: ReadonlySet<number> = new Set([101, 204, 205, 304]);

/** The response as an answer, watched: its exchange ends when the body has been read, cancelled or has failed. */
export function answered(response: Response, exchange: Exchange, maxWhole = MAX_WHOLE): Answer {
  const { status, headers } = response;
  if (NO_BODY.has(status) || exchange.request.method === "HEAD" || headers.get("content-length") === "0") {
    exchange.end();
    return { status, headers, text: () => Promise.resolve(""), pieces: () => null };
  }
  exchange.answered();
  return new OpenAnswer(response, exchange, maxWhole);
}

class OpenAnswer implements Answer {
  readonly status: number;
  readonly headers: Headers;
  constructor(
    private readonly response: Response,
    private readonly exchange: Exchange,
    private readonly maxWhole: number,
  ) {
    this.status = response.status;
    this.headers = response.headers;
  }
  async text(): Promise<string> {
    try {
      return (await wholeText(this.response, this.maxWhole)) ?? this.cut();
    } catch (error) {
      throw this.exchange.fail(error);
    } finally {
      this.exchange.end();
    }
  }
  private cut(): never {
    const why = new GatewayError("UPSTREAM_INVALID", { provider: this.exchange.request.caller, why: tooLarge(this.maxWhole) });
    this.exchange.cut(why);
    throw why;
  }
  pieces(): Pieces | null {
    const { body } = this.response;
    if (body) return new WatchedPieces(body.getReader(), this.exchange);
    this.exchange.end();
    return null;
  }
}

/** `undefined` when it is larger than allowed. What says its true length is left to the runtime, which is quicker. */
function wholeText(response: Response, limit: number): Promise<string | undefined> {
  const { headers } = response;
  const length = headers.get("content-length");
  const isTrue = length !== null && !headers.has("content-encoding") && !headers.has("transfer-encoding");
  if (isTrue && Number(length) <= limit) return response.text();
  return response.body === null ? Promise.resolve("") : boundedText(response.body.getReader(), limit);
}

async function boundedText(reader: ReadableStreamDefaultReader<Uint8Array>, limit: number): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let size = 0;
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    size += read.value.length;
    if (size > limit) return void reader.cancel().catch(() => undefined); // it is cut by its owner
    parts.push(read.value);
  }
  return new TextDecoder().decode(parts.length === 1 ? parts[0] : Buffer.concat(parts));
}

class WatchedPieces implements Pieces {
  constructor(
    private readonly reader: ReadableStreamDefaultReader<Uint8Array>,
    private readonly exchange: Exchange,
  ) {}

  /** No function of its own for each read: of those, a stream has thousands. */
  read(): Promise<Piece> {
    return this.reader.read().then(this.came as (read: object) => Piece, this.broke); // the web's own type allows a last value, which byte streams never have
  }
  private readonly came = (piece: Piece): Piece => {
    if (piece.done) this.exchange.end();
    else this.exchange.alive();
    return piece;
  };
  private readonly broke = (error: unknown): never => {
    throw this.exchange.fail(error);
  };
  cancel(): Promise<void> {
    this.exchange.end();
    return this.reader.cancel();
  }
}

/** An answer of the gateway's own making in place of an upstream's. */
export const answerOf = (response: Response): Answer => ({
  status: response.status,
  headers: response.headers,
  text: async () => (await wholeText(response, MAX_WHOLE)) ?? refuse(), // who asks knows whose answer it is
  pieces: () => (response.body ? (response.body.getReader() as Pieces) : null), // as above
});

const refuse = (): never => {
  throw new Error(tooLarge(MAX_WHOLE));
};

/** The answer as the web's Response, for plugins. */
export function responseOf(answer: Answer): Response {
  const body = answer.pieces();
  return new Response(body && streamOf(body), { status: answer.status, headers: answer.headers });
}

/** Pieces as the web's stream. */
export const streamOf = (pieces: Pieces): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>(
    {
      pull: async (controller) => {
        const { done, value } = await pieces.read();
        if (done) controller.close();
        else controller.enqueue(value);
      },
      cancel: () => pieces.cancel(),
    },
    { highWaterMark: 0 }, // nothing is read ahead of the client
  );
