/** What a replayed upstream answers. */
export interface Replay {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  /** Byte offsets at which the body is cut into pieces that are sent apart. Absent: in one piece. */
  readonly cuts?: readonly number[];
  /** After the last piece: `close` normally, `hang` open until the other side leaves, or `reset` the connection. */
  readonly ends?: "close" | "hang" | "reset";
}

/** One request as the replayed upstream saw it. */
export interface Received {
  readonly method: string;
  /** Path and query. */
  readonly path: string;
  readonly headers: Headers;
  readonly body: Uint8Array;
  text(): string;
  json(): unknown;
  /** Resolves with `performance.now()` when the other side cut the connection before the answer was over. */
  readonly cut: Promise<number>;
}

export interface ReplayServer {
  readonly url: string;
  readonly received: readonly Received[];
  /** Answers still being sent. */
  readonly open: number;
  /** What it answers from now on: the same always, or by request. */
  answer(replay: Replay | ((request: Received) => Replay | Promise<Replay>)): void;
  close(): Promise<void>;
}

export const sseAnswer = (wire: string | Uint8Array, rest: Omit<Replay, "body"> = {}): Replay => ({
  ...rest,
  body: wire,
  headers: { "content-type": "text/event-stream", ...rest.headers },
});
export const jsonAnswer = (body: unknown, rest: Omit<Replay, "body"> = {}): Replay => ({
  ...rest,
  body: typeof body === "string" ? body : JSON.stringify(body),
  headers: { "content-type": "application/json", ...rest.headers },
});

/** A real HTTP server on 127.0.0.1 that plays recorded answers and remembers what it was asked. */
export function replayServer(first: Replay | ((request: Received) => Replay | Promise<Replay>) = jsonAnswer({})): ReplayServer {
  const received: Received[] = [];
  let answer = first;
  let open = 0;
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    error: () => new Response(null, { status: 500 }),
    async fetch(request) {
      const cut = Promise.withResolvers<number>();
      const seen = await receive(request, cut.promise);
      received.push(seen);
      const replay = typeof answer === "function" ? await answer(seen) : answer;
      open++;
      const over = once(() => open--);
      const left = once(() => {
        over();
        cut.resolve(performance.now());
      });
      request.signal.addEventListener("abort", left, { once: true });
      return new Response(played(replay, request.signal, over, left), { status: replay.status ?? 200, headers: { ...replay.headers } });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    received,
    get open() {
      return open;
    },
    answer: (next) => void (answer = next),
    close: () => server.stop(true),
  };
}

async function receive(request: Request, cut: Promise<number>): Promise<Received> {
  const body = new Uint8Array(await request.arrayBuffer());
  const text = (): string => new TextDecoder().decode(body);
  const { pathname, search } = new URL(request.url);
  return {
    method: request.method,
    path: pathname + search,
    headers: request.headers,
    body,
    text,
    json: () => JSON.parse(text()) as unknown,
    cut,
  };
}

function played(replay: Replay, signal: AbortSignal, over: () => void, left: () => void): ReadableStream<Uint8Array> {
  const pieces = piecesOf(replay);
  return new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        const piece = pieces.next();
        if (!piece.done) {
          controller.enqueue(piece.value);
          return turn();
        }
        if (replay.ends === "hang") return gone(signal);
        over();
        if (replay.ends === "reset") controller.error(new Error("reset by the replay server"));
        else controller.close();
      },
      cancel: left,
    },
    { highWaterMark: 0 },
  );
}

/** Lets the pieces go out apart: one turn of the event loop. */
const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
const gone = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => (signal.aborted ? resolve() : signal.addEventListener("abort", () => resolve(), { once: true })));

/** The body in the pieces its cuts make. */
export function* piecesOf({ body, cuts = [] }: Replay): Generator<Uint8Array> {
  const bytes = typeof body === "string" ? new TextEncoder().encode(body) : body;
  const marks = [...new Set([0, ...cuts, bytes.length])].filter((at) => at <= bytes.length).sort((a, b) => a - b);
  for (const [index, from] of marks.entries()) {
    const to = marks[index + 1];
    if (to !== undefined) yield bytes.slice(from, to);
  }
}

function once(run: () => void): () => void {
  let done = false;
  return () => {
    if (!done) run();
    done = true;
  };
}
