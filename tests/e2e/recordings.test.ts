/**
 * Real providers' recorded answers, replayed as the upstream of the running gateway: its client reads what the lines
 * say, streamed and whole, wherever the bytes are cut; a stream that ends too early never looks complete.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { haveRecordings, recordedLines, recording, recordings, sayIfMissing, sseWire } from "../kit/recordings.ts";
import { jsonAnswer, type Replay, type ReplayServer, replayServer, sseAnswer } from "../kit/replay.ts";
import { GATEWAY_KEY, type GatewayProcess, startGateway, until } from "./process.ts";
import { type Said, saidByBody, saidByChunks, saidByCompletion, saidByStream, type Wire } from "./recorded.ts";

interface Family {
  readonly provider: string;
  readonly folder: string;
  readonly wire: Wire;
}
const FAMILIES: readonly Family[] = [
  { provider: "openai", folder: "openai/chat", wire: "chat" },
  { provider: "openai-compatible", folder: "openai-compatible/chat", wire: "chat" },
  { provider: "groq", folder: "groq", wire: "chat" },
  { provider: "deepseek", folder: "deepseek/chat", wire: "chat" },
  { provider: "x-ai", folder: "xai", wire: "chat" },
  { provider: "mistral-ai", folder: "mistral", wire: "chat" },
  { provider: "moonshot", folder: "moonshotai", wire: "chat" },
  { provider: "dashscope", folder: "alibaba", wire: "chat" },
  { provider: "anthropic", folder: "anthropic", wire: "messages" },
  { provider: "google", folder: "google", wire: "gemini" },
];
/** Answers of other operations in these folders, and the one stream that must fail. */
const SPLICED = "anthropic/spliced-message-start.chunks.txt";
const OTHER: ReadonlySet<string> = new Set(["mistral/mistral-transcription.json", SPLICED]);

interface Recorded {
  readonly path: string;
  readonly provider: string;
  readonly wire: Wire;
  readonly bytes: Uint8Array;
  readonly said: Said;
}
const encoder = new TextEncoder();
const pathsOf = ({ folder }: Family, suffix: string): string[] => recordings([folder], suffix).filter((path) => !OTHER.has(path));
const framed = (lines: readonly string[], wire: Wire): Uint8Array =>
  encoder.encode(sseWire(lines, { named: wire === "messages", done: wire === "chat" }));
const sseLines = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => line.slice("data: ".length));

const streams: readonly Recorded[] = FAMILIES.flatMap((family) => [
  ...pathsOf(family, ".chunks.txt").map((path) => ({
    path,
    ...family,
    bytes: framed(recordedLines(path), family.wire),
    said: saidByStream(family.wire, recordedLines(path)),
  })),
  ...pathsOf(family, ".sse").map((path) => ({
    path,
    ...family,
    bytes: encoder.encode(`${recording(path).trimEnd()}\n\n`),
    said: saidByStream(family.wire, sseLines(recording(path))),
  })),
]);
const bodies: readonly Recorded[] = FAMILIES.flatMap((family) =>
  pathsOf(family, ".json").map((path) => ({
    path,
    ...family,
    bytes: encoder.encode(recording(path)),
    said: saidByBody(family.wire, recording(path)),
  })),
);

let upstream: ReplayServer;
let breaking: Bun.TCPSocketListener<{ request: string }>;
let gateway: GatewayProcess;
/** What the upstream answers to a request whose path begins with this number. */
const answers = new Map<string, Replay>();
let asked = 0;

beforeAll(async () => {
  upstream = replayServer((request) => answers.get(request.path.split("/")[1] ?? "") ?? { status: 500, body: "nothing to replay" });
  breaking = breakingServer();
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: `${new URL(upstream.url).host},127.0.0.1:${breaking.port}` } });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
  breaking.stop(true);
});
sayIfMissing();

/** Sends the answer in one HTTP chunk and then drops the connection, where a proper end would follow. */
const breakingServer = (): typeof breaking =>
  Bun.listen<{ request: string }>({
    hostname: "127.0.0.1",
    port: 0,
    socket: {
      open: (socket) => void (socket.data = { request: "" }),
      data(socket, bytes) {
        socket.data.request += bytes.toString();
        if (!socket.data.request.endsWith("}")) return; // the JSON body is not all here
        const body = String(answers.get(/^POST \/(\d+)/.exec(socket.data.request)?.[1] ?? "")?.body);
        const chunk = body === "" ? "" : `${encoder.encode(body).length.toString(16)}\r\n${body}\r\n`;
        socket.end(`HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n${chunk}`);
      },
    },
  });

/** One request whose provider answers this. */
async function ask(
  provider: string,
  replay: Replay,
  stream: boolean,
  host = upstream.url,
): Promise<{ readonly status: number; readonly text: string; readonly logId: string }> {
  const number = String((asked += 1));
  answers.set(number, replay);
  const response = await fetch(`${gateway.base}/v1/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-gateway-api-key": GATEWAY_KEY,
      "x-gateway-provider": provider,
      "x-gateway-custom-host": `${host}/${number}`,
    },
    body: JSON.stringify({
      model: "some-model",
      messages: [{ role: "user", content: "Hello" }],
      ...(stream && { stream: true, stream_options: { include_usage: true } }),
    }),
  });
  const answer = { status: response.status, text: await response.text(), logId: response.headers.get("x-gateway-trace-id") ?? "" };
  answers.delete(number);
  return answer;
}

/** What the frames of a stream hold, as the client got it; half a frame is a mistake. */
function chunksOf(text: string): readonly Record<string, unknown>[] {
  if (text !== "" && !text.endsWith("\n\n")) throw new Error(`the client got half a frame: …${text.slice(-120)}`);
  const frames = text
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => frame.replace(/^data: /, ""));
  return frames.filter((frame) => frame !== "[DONE]").map((frame) => JSON.parse(frame) as Record<string, unknown>);
}
function saidByClient(text: string): Said {
  expect(text).toEndWith("data: [DONE]\n\n");
  return saidByChunks(chunksOf(text));
}

/** Runs so many at a time. */
async function each<T>(items: Iterable<T>, run: (item: T) => Promise<void>, width = 24): Promise<void> {
  const rest = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let next = rest.next(); !next.done; next = rest.next()) await run(next.value);
    }),
  );
}

/* ── where the bytes are cut ─────────────────────────────────────────────────────────────────────────────────── */

const PIECE_SIZES = [1, 2, 3, 5, 7, 64, 1000];
/** More pieces than this are not sent for one request, nor more requests for the offsets of one recording. */
const MOST_PIECES = 20_000;
const CUT_REQUESTS = 100;
const EXHAUSTIVE_BYTES = 3_000;

const every = (step: number, length: number): number[] => Array.from({ length: Math.ceil(length / step) }, (_, index) => index * step);
/** Cuts of each request: pieces of each size, then every offset (of long recordings a spread) cut in one of the requests. */
function cutsOf(length: number): number[][] {
  const pieces = PIECE_SIZES.filter((size) => length / size <= MOST_PIECES).map((size) => every(size, length));
  const stride = Math.ceil(length / Math.ceil(length / (length <= EXHAUSTIVE_BYTES ? CUT_REQUESTS : length / 10)));
  const apart = Array.from({ length: Math.min(stride, CUT_REQUESTS) }, (_, offset) => every(stride, length).map((at) => at + offset));
  return [...pieces, ...apart];
}

describe.skipIf(!haveRecordings)("a recorded stream", () => {
  test.each(streams.map((recorded) => [recorded.path, recorded] as const))(
    "%s says what its lines say, wherever it is cut",
    async (_, { provider, bytes, said }) => {
      const seen = new Set<string>();
      await each([[], ...cutsOf(bytes.length)], async (cuts) => {
        const { status, text } = await ask(provider, sseAnswer(bytes, { cuts }), true);
        if (status === 200 && seen.has(text)) return;
        expect({ status, said: saidByClient(text) }).toEqual({ status: 200, said });
        seen.add(text);
      });
    },
    30_000,
  );
});

describe.skipIf(!haveRecordings)("a recorded whole answer", () => {
  test.each(bodies.map((recorded) => [recorded.path, recorded] as const))(
    "%s says what its body says",
    async (_, { provider, bytes, said }) => {
      await each(
        [[], ...PIECE_SIZES.map((size) => every(size, bytes.length)).filter((cuts) => cuts.length <= MOST_PIECES)],
        async (cuts) => {
          const { status, text } = await ask(provider, { ...jsonAnswer(""), body: bytes, cuts }, false);
          expect({ status, said: saidByCompletion(JSON.parse(text) as Record<string, unknown>) }).toEqual({ status: 200, said });
        },
      );
    },
  );
  test("that ends too early is an error, and never half an answer", async () => {
    await each(bodies, async ({ provider, bytes }) => {
      const { status, text } = await ask(provider, { ...jsonAnswer(""), body: bytes.subarray(0, Math.floor(bytes.length / 2)) }, false);
      expect({ status, body: JSON.parse(text) as unknown }).toEqual({
        status: 502,
        body: expect.objectContaining({
          error: expect.objectContaining({ type: expect.any(String), message: expect.stringMatching(/.{10,}/) }),
        }),
      });
    });
  });
});

/* ── streams that end too early ──────────────────────────────────────────────────────────────────────────────── */

/** The frame that says an answer is complete. */
const ENDS: Readonly<Record<Wire, RegExp>> = {
  chat: /"finish_reason":\s*"\w+"[^\n]*/g,
  messages: /"type":\s*"message_stop"[^\n]*/g,
  gemini: /"finishReason":\s*"\w+"[^\n]*/g,
};
function completeAt({ wire, bytes }: Recorded): number {
  const text = new TextDecoder().decode(bytes);
  const last = [...text.matchAll(ENDS[wire])][0];
  return encoder.encode(text.slice(0, (last?.index ?? 0) + (last?.[0].length ?? 0))).length;
}
/** Offsets spread over the answer, and closely around its end. */
const truncations = (recorded: Recorded): number[] => {
  const complete = completeAt(recorded);
  const spread = every(Math.max(1, Math.floor(complete / 20)), complete);
  const around = [-200, -50, -10, -2, -1, 0, 1, 2, 3, 10, 20, 50].map((near) => complete + near);
  return [...new Set([...spread, ...around])].filter((at) => at >= 0 && at < recorded.bytes.length);
};
const endedOf = async (logId: string): Promise<unknown> => {
  const read = async (): Promise<Record<string, { ended?: string }> | undefined> => {
    const response = await fetch(`${gateway.base}/v1/logs/${logId}`, { headers: { "x-gateway-api-key": GATEWAY_KEY } });
    return response.ok ? ((await response.json()) as Record<string, { ended?: string }>) : undefined;
  };
  return (await until(`the log of ${logId}`, read))["gateway"]?.ended;
};

interface Seen {
  readonly outcome: "refused" | "broken" | "complete";
  readonly said: Said | null;
  readonly logged: unknown;
}
/** How a cut stream looks to its client and in the log. */
async function seen(provider: string, replay: Replay, host = upstream.url): Promise<Seen> {
  const { status, text, logId } = await ask(provider, replay, true, host);
  if (status !== 200) return { outcome: "refused", said: null, logged: await endedOf(logId) };
  const chunks = chunksOf(text);
  const broken = chunks.at(-1)?.["error"] !== undefined;
  expect({ broken, done: text.includes("[DONE]") }).toEqual({ broken, done: !broken });
  return { outcome: broken ? "broken" : "complete", said: broken ? null : saidByChunks(chunks), logged: await endedOf(logId) };
}
const LOGGED: Readonly<Record<Seen["outcome"], string>> = { refused: "error", broken: "partial", complete: "ok" };

describe.skipIf(!haveRecordings)("a recorded stream that ends too early", () => {
  test.each(streams.map((recorded) => [recorded.path, recorded] as const))(
    "%s never looks complete",
    async (_, recorded) => {
      const complete = completeAt(recorded);
      await each(truncations(recorded), async (at) => {
        const { outcome, said, logged } = await seen(recorded.provider, sseAnswer(recorded.bytes.subarray(0, at)));
        if (at < complete) expect({ at, outcome }).not.toEqual({ at, outcome: "complete" });
        if (outcome === "complete") expect({ at, said: { ...said, usage: null } }).toEqual({ at, said: { ...recorded.said, usage: null } }); // its usage may have come later
        expect({ at, outcome, logged }).toEqual({ at, outcome, logged: LOGGED[outcome] });
      });
    },
    30_000,
  );

  test("and one whose connection breaks neither, wherever it breaks", async () => {
    const places = streams.flatMap((recorded) =>
      [0.1, 0.5, 0.9].map((part) => ({ recorded, at: Math.floor(recorded.bytes.length * part) })),
    );
    await each(places, async ({ recorded, at }) => {
      const { outcome, logged } = await seen(
        recorded.provider,
        sseAnswer(new TextDecoder().decode(recorded.bytes.subarray(0, at))),
        `http://127.0.0.1:${breaking.port}`,
      );
      expect({ path: recorded.path, at, outcome, logged }).toEqual({
        path: recorded.path,
        at,
        outcome: expect.stringMatching(/refused|broken/),
        logged: LOGGED[outcome],
      });
    });
  }, 30_000);

  test.skipIf(recordings(["anthropic"], ".txt").length === 0)("and a second answer spliced into one is an error too", async () => {
    const { outcome, logged } = await seen("anthropic", sseAnswer(framed(recordedLines(SPLICED), "messages")));
    expect({ outcome, logged }).toEqual({ outcome: expect.stringMatching(/refused|broken/), logged: LOGGED[outcome] }); // both may come in one piece
  });
});

/* ── the official client, once for each provider ─────────────────────────────────────────────────────────────── */

const firstOf = (all: readonly Recorded[]): readonly (readonly [string, Recorded])[] =>
  FAMILIES.flatMap(({ provider }) => {
    const found = all.find((recorded) => recorded.provider === provider);
    return found ? [[provider, found] as const] : [];
  });
const officialClient = (provider: string, number: string): OpenAI =>
  new OpenAI({
    apiKey: "k",
    baseURL: `${gateway.base}/v1`,
    maxRetries: 0,
    defaultHeaders: {
      "x-gateway-api-key": GATEWAY_KEY,
      "x-gateway-provider": provider,
      "x-gateway-custom-host": `${upstream.url}/${number}`,
    },
  });
const messages = [{ role: "user" as const, content: "Hello" }];

describe.skipIf(!haveRecordings)("the official client reads", () => {
  test.each(firstOf(streams))("%s's stream", async (provider, { bytes, said }) => {
    answers.set("official", sseAnswer(bytes, { cuts: every(50, bytes.length) }));
    const chunks: Record<string, unknown>[] = [];
    for await (const chunk of await officialClient(provider, "official").chat.completions.create({
      model: "m",
      messages,
      stream: true,
      stream_options: { include_usage: true },
    }))
      chunks.push({ ...chunk });
    expect(saidByChunks(chunks)).toEqual(said);
  });
  test.each(firstOf(bodies))("%s's whole answer", async (provider, { bytes, said }) => {
    answers.set("official", { ...jsonAnswer(""), body: bytes });
    expect(saidByCompletion({ ...(await officialClient(provider, "official").chat.completions.create({ model: "m", messages })) })).toEqual(
      said,
    );
  });
});
