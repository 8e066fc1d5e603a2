/**
 * Loaded into a gateway before its own code (`bun --preload`): tells a piece server what of its answers has been read,
 * so that the server can keep the next piece back until then. It watches, and changes nothing of what is read.
 */
import { connect } from "node:net";

/** Of an answer with this header every read is told, a line each: the header's value, and how many bytes it was. */
export const ANSWER_ID = "x-answer-id";
/** Environment variable: the port of 127.0.0.1 at which a piece server listens to that. */
export const READS_PORT = "READS_PORT";
/** Instead of a number: the head of an answer that is read by the runtime and not piece by piece, and what came with it. */
export const HEAD = "head";

function watchReads(port: number): void {
  const socket = connect(port, "127.0.0.1").setNoDelay(true).unref();
  let lines = "";
  const send = (): void => {
    socket.write(lines);
    lines = "";
  };
  const tell = (id: string, read: string | number): void => {
    if (lines === "") setImmediate(send); // one write for all that is read in a turn
    lines += `${id} ${read}\n`;
  };
  const real = globalThis.fetch;
  const watched = async (input: RequestInfo | URL, init?: RequestInit): Promise<Response> => {
    const response = await real(input, init);
    const id = response.headers.get(ANSWER_ID);
    if (id !== null && response.headers.has("transfer-encoding") && response.body) tellReads(response.body, (bytes) => tell(id, bytes));
    else if (id !== null) tell(id, HEAD);
    return response;
  };
  globalThis.fetch = Object.assign(watched, { preconnect: real.preconnect });
}

function tellReads(body: ReadableStream<Uint8Array>, tell: (bytes: number) => void): void {
  const getReader = body.getReader.bind(body) as () => ReadableStreamDefaultReader<Uint8Array>;
  const watched = (): ReadableStreamDefaultReader<Uint8Array> => {
    const reader = getReader();
    const read = reader.read.bind(reader);
    const reportedRead = async (): Promise<Awaited<ReturnType<typeof read>>> => {
      const piece = await read();
      if (piece.value) tell(piece.value.length);
      return piece;
    };
    reader.read = reportedRead as typeof reader.read; // the runtime's type has two signatures that say the same
    return reader;
  };
  body.getReader = watched as typeof body.getReader; // nobody in the gateway asks for a reader of another mode
}

const port = process.env[READS_PORT];
if (port !== undefined) watchReads(Number(port));
