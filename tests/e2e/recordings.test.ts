/**
 * Real providers' recorded answers, replayed as the upstream of the running gateway: its client reads what the lines
 * say, streamed and whole, wherever the bytes are cut; a stream that ends too early never looks complete.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { haveRecordings, recordedLines, recordings, sayIfMissing } from "../kit/recordings.ts";
import { jsonAnswer, type Replay, type ReplayServer, replayServer, sseAnswer } from "../kit/replay.ts";
import { GATEWAY_KEY, until } from "./process.ts";
import { type RecordedAnswer, saidByChunks, saidByCompletion, type Wire } from "./recorded.ts";
import {
  type Answered,
  ask as askAt,
  bodies,
  type CuttingGateway,
  chunksOf,
  cuttingGateway,
  each,
  every,
  everyBoundary,
  FAMILIES,
  framed,
  type Recorded,
  SPLICED,
  streams,
} from "./replayed.ts";

const encoder = new TextEncoder();
let upstream: ReplayServer;
let breaking: Bun.TCPSocketListener<{ request: string }>;
let cutting: CuttingGateway;
/** What the upstream answers to a request whose path begins with this number. */
const answers = new Map<string, Replay>();
let asked = 0;

beforeAll(async () => {
  upstream = replayServer((request) => answers.get(request.path.split("/")[1] ?? "") ?? { status: 500, body: "nothing to replay" });
  breaking = breakingServer();
  cutting = await cuttingGateway([new URL(upstream.url).host, `127.0.0.1:${breaking.port}`]);
});
afterAll(async () => {
  await cutting.stop();
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
async function ask(provider: string, replay: Replay, stream: boolean, host = upstream.url): Promise<Answered> {
  const number = String((asked += 1));
  answers.set(number, replay);
  const answer = await askAt(cutting.gateway, provider, `${host}/${number}`, stream);
  answers.delete(number);
  return answer;
}

/* ── where the bytes are cut ─────────────────────────────────────────────────────────────────────────────────── */

/** Up to this length each boundary is cut in a request with few cuts; of longer ones some are, and all in tests/slow. */
const EXHAUSTIVE_BYTES = 3_000;
const CUTS_APART = 100;
const FEW_REQUESTS = 10;

function cutsOf(length: number): number[][] {
  if (length <= EXHAUSTIVE_BYTES) return [[], ...everyBoundary(length, CUTS_APART)];
  return [[], ...Array.from({ length: FEW_REQUESTS }, (_, index) => every(10 * CUTS_APART, length, 1 + index * CUTS_APART))];
}

describe.skipIf(!haveRecordings)("a recorded stream", () => {
  test.each(streams.map((recorded) => [recorded.path, recorded] as const))(
    "%s says what its lines say, wherever it is cut",
    async (_, recorded) => void (await cutting.expectSaid(recorded, "streamed", cutsOf(recorded.bytes.length))),
    30_000,
  );
});

describe.skipIf(!haveRecordings)("every recording, a byte at a time", () => {
  const boundaries = [...streams, ...bodies].reduce((sum, { bytes }) => sum + bytes.length - 1, 0);
  test(`says the same, streamed and whole: ${boundaries} boundaries`, async () => {
    const oneByOne = (how: "streamed" | "whole") => (recorded: Recorded) =>
      cutting.expectSaid(recorded, how, [every(1, recorded.bytes.length)]);
    const cuts = await Promise.all([...streams.map(oneByOne("streamed")), ...bodies.map(oneByOne("whole"))]);
    expect(cuts.reduce((sum, count) => sum + count, 0)).toBe(boundaries);
  }, 120_000);
});

describe.skipIf(!haveRecordings)("a recorded whole answer", () => {
  test.each(bodies.map((recorded) => [recorded.path, recorded] as const))("%s says what its body says", async (_, recorded) => {
    await cutting.expectSaid(recorded, "whole", cutsOf(recorded.bytes.length));
    await cutting.expectSaid(recorded, "whole, of known length", [
      [],
      ...everyBoundary(recorded.bytes.length, recorded.bytes.length).filter((_, at) => at % 97 === 0),
    ]);
  });
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
  const spread = every(Math.max(1, Math.floor(complete / 20)), complete, 0);
  const around = [-200, -50, -10, -2, -1, 0, 1, 2, 3, 10, 20, 50].map((near) => complete + near);
  return [...new Set([...spread, ...around])].filter((at) => at >= 0 && at < recorded.bytes.length);
};
const endedOf = async (logId: string): Promise<unknown> => {
  const read = async (): Promise<Record<string, { ended?: string }> | undefined> => {
    const response = await fetch(`${cutting.gateway.base}/v1/logs/${logId}`, { headers: { "x-gateway-api-key": GATEWAY_KEY } });
    return response.ok ? ((await response.json()) as Record<string, { ended?: string }>) : undefined;
  };
  return (await until(`the log of ${logId}`, read))["gateway"]?.ended;
};

interface Seen {
  readonly outcome: "refused" | "broken" | "complete";
  readonly said: RecordedAnswer | null;
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
      const isPart = at < completeAt(recorded); // some recordings go on with the answer to a later request
      expect({ path: recorded.path, at, outcome, logged }).toEqual({
        path: recorded.path,
        at,
        outcome: isPart ? expect.stringMatching(/refused|broken/) : expect.any(String),
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
    baseURL: `${cutting.gateway.base}/v1`,
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
