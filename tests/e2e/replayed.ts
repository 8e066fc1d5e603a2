/** Every recorded answer with what it says, and a gateway whose upstream gives them in pieces. */
import { expect } from "bun:test";
import { type PieceServer, PRELOAD, pieceServer } from "../kit/pieces.ts";
import { recordedLines, recording, recordings, sseWire } from "../kit/recordings.ts";
import { jsonAnswer, type Replay, sseAnswer } from "../kit/replay.ts";
import { GATEWAY_KEY, type GatewayProcess, SOURCE, startGateway } from "./process.ts";
import { type RecordedAnswer, saidByBody, saidByChunks, saidByCompletion, saidByStream, type Wire } from "./recorded.ts";

interface Family {
  readonly provider: string;
  readonly folder: string;
  readonly wire: Wire;
}
export const FAMILIES: readonly Family[] = [
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
export const SPLICED = "anthropic/spliced-message-start.chunks.txt";
const OTHER: ReadonlySet<string> = new Set(["mistral/mistral-transcription.json", SPLICED]);

export interface Recorded {
  readonly path: string;
  readonly provider: string;
  readonly wire: Wire;
  readonly bytes: Uint8Array;
  readonly said: RecordedAnswer;
}
const encoder = new TextEncoder();
const pathsOf = ({ folder }: Family, suffix: string): string[] => recordings([folder], suffix).filter((path) => !OTHER.has(path));
export const framed = (lines: readonly string[], wire: Wire): Uint8Array =>
  encoder.encode(sseWire(lines, { named: wire === "messages", done: wire === "chat" }));
const sseLines = (text: string): string[] =>
  text
    .split("\n")
    .filter((line) => line.startsWith("data: {"))
    .map((line) => line.slice("data: ".length));

export const streams: readonly Recorded[] = FAMILIES.flatMap((family) => [
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
export const bodies: readonly Recorded[] = FAMILIES.flatMap((family) =>
  pathsOf(family, ".json").map((path) => ({
    path,
    ...family,
    bytes: encoder.encode(recording(path)),
    said: saidByBody(family.wire, recording(path)),
  })),
);

/* ── asking ──────────────────────────────────────────────────────────────────────────────────────────────────── */

export interface Answered {
  readonly status: number;
  readonly text: string;
  readonly logId: string;
}
/** One chat request to the provider at this base URL. */
export async function ask(
  gateway: Pick<GatewayProcess, "base">,
  provider: string,
  host: string,
  stream: boolean,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answered> {
  const response = await fetch(`${gateway.base}/v1/chat/completions`, {
    method: "POST",
    headers: {
      "content-type": "application/json",
      "x-gateway-api-key": GATEWAY_KEY,
      "x-gateway-provider": provider,
      "x-gateway-custom-host": host,
      ...headers,
    },
    body: JSON.stringify({
      model: "some-model",
      messages: [{ role: "user", content: "Hello" }],
      ...(stream && { stream: true, stream_options: { include_usage: true } }),
    }),
  });
  return { status: response.status, text: await response.text(), logId: response.headers.get("x-gateway-trace-id") ?? "" };
}

/** What the frames of a stream hold, as the client got it; half a frame is a mistake. */
export function chunksOf(text: string): readonly Record<string, unknown>[] {
  if (text !== "" && !text.endsWith("\n\n")) throw new Error(`the client got half a frame: …${text.slice(-120)}`);
  const frames = text
    .split("\n\n")
    .filter((frame) => frame !== "")
    .map((frame) => frame.replace(/^data: /, ""));
  return frames.filter((frame) => frame !== "[DONE]").map((frame) => JSON.parse(frame) as Record<string, unknown>);
}
/** A provider's own line ends pass with its frames: a client reads LF and CR LF. */
function saidByClient(text: string): RecordedAnswer {
  const lines = text.replaceAll("\r\n", "\n");
  expect(lines).toEndWith("data: [DONE]\n\n");
  return saidByChunks(chunksOf(lines));
}

/** Runs so many at a time. */
export async function each<T>(items: Iterable<T>, run: (item: T) => Promise<void>, width = 24): Promise<void> {
  const rest = items[Symbol.iterator]();
  await Promise.all(
    Array.from({ length: width }, async () => {
      for (let next = rest.next(); !next.done; next = rest.next()) await run(next.value);
    }),
  );
}

/* ── answers in pieces ───────────────────────────────────────────────────────────────────────────────────────── */

/** Places behind which an answer of this length is cut, so many bytes apart. */
export const every = (step: number, length: number, first = step): number[] =>
  Array.from({ length: Math.max(0, Math.ceil((length - first) / step)) }, (_, index) => first + index * step);
/**
 * The cuts of one request after the other, such that each byte boundary is cut in exactly one of them and cuts are so
 * many bytes apart: an answer no longer than that is cut in two.
 */
export const everyBoundary = (length: number, apart: number): number[][] =>
  Array.from({ length: Math.min(apart, length - 1) }, (_, index) => every(apart, length, index + 1));

export interface CuttingGateway {
  readonly gateway: GatewayProcess;
  readonly pieces: PieceServer;
  /**
   * Streams the recording, or asks for it whole, once for each list of cuts. Throws unless every answer says what was
   * recorded and was cut at each of these places; gives the number of cuts.
   */
  expectSaid(recorded: Recorded, how: How, cuts: readonly (readonly number[])[]): Promise<number>;
  stop(): Promise<void>;
}
/** A whole answer says its length first, or comes as chunks. */
export type How = "streamed" | "whole" | "whole, of known length";

/** Of a recording that goes on behind its terminal marker nothing more is read: the cuts up to there. */
function cutsWithin({ bytes }: Recorded, at: readonly number[]): number {
  const marker = Buffer.from(bytes).indexOf('"message_stop"');
  return marker < 0 ? at.length : at.filter((cut) => cut <= marker).length;
}

/** A gateway whose upstream sends each piece only when the gateway has read the one before. */
export async function cuttingGateway(trusted: readonly string[] = []): Promise<CuttingGateway> {
  const pieces = await pieceServer();
  const gateway = await startGateway({
    command: [SOURCE[0] ?? "", ...PRELOAD, ...SOURCE.slice(1)],
    env: {
      ...pieces.env,
      GATEWAY_TRUSTED_HOSTS: [new URL(pieces.url).host, ...trusted].join(","),
      BUN_CONFIG_MAX_HTTP_REQUESTS: "65535", // else the process replaces itself, without what was loaded before it
    },
  });
  return {
    gateway,
    pieces,
    async expectSaid(recorded, how, cuts) {
      const seen = new Set<string>(); // most answers are the same to the byte; each is read once
      await each(cuts, async (at) => {
        let made = 0;
        const host = pieces.play(replayOf(recorded, how, at), () => void (made += 1));
        const { status, text } = await ask(gateway, recorded.provider, host, how === "streamed", UNLOGGED);
        const wasCut = made === at.length || (how === "streamed" && made >= cutsWithin(recorded, at));
        if (status === 200 && wasCut && seen.has(text)) return;
        const sent = { cutAt: at.slice(0, 3), status, wasCut, said: saidAs(how, text) };
        expect(sent).toEqual({ ...sent, status: 200, wasCut: true, said: recorded.said });
        seen.add(text);
      });
      return cuts.reduce((sum, at) => sum + at.length, 0);
    },
    async stop() {
      await gateway.stop();
      gateway.remove();
      await pieces.close();
    },
  };
}
/** Gigabytes of the same answers need not be in the log. */
const UNLOGGED = { "x-gateway-debug": "false" };
const saidAs = (how: How, text: string): RecordedAnswer =>
  how === "streamed" ? saidByClient(text) : saidByCompletion(JSON.parse(text) as Record<string, unknown>);
function replayOf({ bytes }: Recorded, how: How, cuts: readonly number[]): Replay {
  if (how === "streamed") return sseAnswer(bytes, { cuts });
  const headers = how === "whole" ? {} : { "content-length": String(bytes.length) };
  return { ...jsonAnswer("", { cuts, headers }), body: bytes };
}
