/**
 * Real providers' recorded answers, read by the official client and judged by its own types: each tool call has `type`
 * and `index`, content is a text, and the client's helpers find all that the recording says.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { haveRecordings, recordedLines, recording, recordings, sayIfMissing } from "../kit/recordings.ts";
import { jsonAnswer, type Replay, type ReplayServer, replayServer, sseAnswer } from "../kit/replay.ts";
import { eventWire } from "../providers/bedrock-eventstream.ts";
import { GATEWAY_KEY, type GatewayProcess, startGateway } from "./process.ts";
import type { Json } from "./endpoints/api.ts";
import { type RecordedAnswer, saidByCompletion } from "./recorded.ts";
import { saidByConverse, saidByConverseStream } from "./recorded-converse.ts";
import { bodies, type Recorded, streams } from "./replayed.ts";

let upstream: ReplayServer;
let gateway: GatewayProcess;
beforeAll(async () => {
  upstream = replayServer();
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});
sayIfMissing();

type Completions = OpenAI["chat"]["completions"];
type Headers = Readonly<Record<string, string>>;
/** The client of a gateway whose provider gives this answer. */
function completionsOf({ provider, headers }: Read, strict: boolean, replay: Replay): Completions {
  upstream.answer(replay);
  return new OpenAI({
    apiKey: "k",
    baseURL: `${gateway.base}/v1`,
    maxRetries: 0,
    defaultHeaders: {
      "x-gateway-api-key": GATEWAY_KEY,
      "x-gateway-provider": provider,
      "x-gateway-custom-host": upstream.url,
      "x-gateway-strict-open-ai-compliance": String(strict),
      ...headers,
    },
  }).chat.completions;
}
const BODY = {
  messages: [{ role: "user" as const, content: "Hello" }],
  tools: [{ type: "function" as const, function: { name: "weather", parameters: { type: "object" } } }],
};
const isText = (content: unknown): boolean => content === undefined || content === null || typeof content === "string";

/** What of a stream is not as the client's types say. */
function straysIn(chunks: readonly OpenAI.ChatCompletionChunk[]): unknown[] {
  const choices = chunks.flatMap((chunk) => chunk.choices);
  const pieces = choices.flatMap(({ delta }) => delta.tool_calls ?? []);
  const first = [...new Set(pieces.map(({ index }) => index))].map((index) => pieces.find((piece) => piece.index === index));
  return [
    ...choices.map(({ delta }) => delta.content).filter((content) => !isText(content)),
    ...pieces.filter(({ index }) => typeof index !== "number"),
    ...first.filter((piece) => piece?.type !== "function" || !piece.id || !piece.function?.name),
  ];
}
const straysOf = ({ choices }: OpenAI.ChatCompletion): unknown[] => [
  ...choices.map(({ message }) => message.content).filter((content) => content !== null && typeof content !== "string"),
  ...choices.flatMap(({ message }) => message.tool_calls ?? []).filter((call) => call.type !== "function" || !call.id),
];

/* ── the recordings, each given by every provider that speaks its wire ───────────────────────────────────────── */

interface Read {
  readonly name: string;
  readonly provider: string;
  readonly headers: Headers;
  readonly model: string;
  readonly replay: Replay;
  readonly said: Omit<RecordedAnswer, "finish" | "usage"> & { readonly usage: unknown };
}
const read = ({ path, provider, said }: Recorded, replay: Replay, more: Partial<Read> = {}): Read => {
  const { finish: _finish, ...whatIsSaid } = said; // the provider's own word, when not strict
  return { name: `${path} from ${more.provider ?? provider}`, provider, headers: {}, model: "m", replay, said: whatIsSaid, ...more };
};

const PROJECT = { "x-gateway-vertex-project-id": "acme-1", "x-gateway-vertex-region": "us-central1" };
const RESOURCE = { "x-gateway-azure-resource-name": "contoso", "x-gateway-azure-api-version": "v1" };
/** Clouds that give the same bytes. */
const CLOUDS: Readonly<Record<string, Partial<Read>>> = {
  google: { provider: "vertex-ai", headers: PROJECT, model: "gemini-2.5-flash" },
  anthropic: { provider: "vertex-ai", headers: PROJECT, model: "anthropic.claude-sonnet-4-5" },
  openai: { provider: "azure-openai", headers: RESOURCE },
};
const given = (all: readonly Recorded[], replayOf: (recorded: Recorded) => Replay): Read[] =>
  all.flatMap((recorded) => {
    const cloud = CLOUDS[recorded.provider];
    return [read(recorded, replayOf(recorded)), ...(cloud ? [read(recorded, replayOf(recorded), cloud)] : [])];
  });

const converse = (path: string, said: Read["said"], replay: Replay): Read => ({
  ...{ name: `${path} from bedrock`, provider: "bedrock", model: "anthropic.claude-sonnet-4-5-20250929-v1:0", replay, said },
  headers: { "x-gateway-aws-access-key-id": "AKIA", "x-gateway-aws-secret-access-key": "secret" },
});
const withoutFinish = ({ finish: _finish, ...said }: ReturnType<typeof saidByConverse>): Read["said"] => said;
const STREAMS: readonly Read[] = [
  ...given(streams, ({ bytes }) => sseAnswer(bytes)),
  ...recordings(["amazon-bedrock"], ".chunks.txt").map((path) => {
    const lines = recordedLines(path);
    const said = saidByConverseStream(lines.map((line) => JSON.parse(line) as Json));
    return converse(path, withoutFinish(said), {
      body: eventWire(lines),
      headers: { "content-type": "application/vnd.amazon.eventstream" },
    });
  }),
];
const BODIES: readonly Read[] = [
  ...given(bodies, ({ bytes }) => ({ ...jsonAnswer(""), body: bytes })),
  ...recordings(["amazon-bedrock"], ".json").map((path) => {
    const body = JSON.parse(recording(path)) as Json;
    return converse(path, withoutFinish(saidByConverse(body)), jsonAnswer(body));
  }),
];

const named = (all: readonly Read[]): (readonly [string, Read])[] => all.map((one) => [one.name, one] as const);
describe.skipIf(!haveRecordings).each([true, false])("the official client, strict compliance %p", (strict) => {
  test.each(named(STREAMS))("reads the stream %s", async (_, recorded) => {
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    const body = { ...BODY, model: recorded.model, stream_options: { include_usage: true } };
    const stream = completionsOf(recorded, strict, recorded.replay).stream(body);
    stream.on("chunk", (chunk) => void chunks.push(chunk));
    const completion = await stream.finalChatCompletion();
    expect(straysIn(chunks)).toEqual([]);
    expect(straysOf(completion)).toEqual([]);
    expect(saidByCompletion({ ...completion })).toMatchObject(recorded.said);
  });
  test.each(named(BODIES))("reads the answer %s", async (_, recorded) => {
    const completion = await completionsOf(recorded, strict, recorded.replay).create({ ...BODY, model: recorded.model });
    expect(straysOf(completion)).toEqual([]);
    expect(saidByCompletion({ ...completion })).toMatchObject(recorded.said);
  });
});
