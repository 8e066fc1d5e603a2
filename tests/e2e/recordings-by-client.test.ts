/**
 * Real providers' recorded answers, read by the official client and judged by its own types: each tool call has `type`
 * and `index`, content is a text, and the client's helpers find all that the recording says.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { haveRecordings, sayIfMissing } from "../kit/recordings.ts";
import { jsonAnswer, type Replay, type ReplayServer, replayServer, sseAnswer } from "../kit/replay.ts";
import { GATEWAY_KEY, type GatewayProcess, startGateway } from "./process.ts";
import { saidByCompletion } from "./recorded.ts";
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
/** The client of a gateway whose provider gives this answer. */
function completionsOf(provider: string, strict: boolean, replay: Replay): Completions {
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
    },
  }).chat.completions;
}
const BODY = {
  model: "m",
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

const named = (all: readonly Recorded[]): (readonly [string, Recorded])[] => all.map((recorded) => [recorded.path, recorded] as const);
describe.skipIf(!haveRecordings).each([true, false])("the official client, strict compliance %p", (strict) => {
  test.each(named(streams))("reads the stream %s", async (_, { provider, bytes, said }) => {
    const chunks: OpenAI.ChatCompletionChunk[] = [];
    const stream = completionsOf(provider, strict, sseAnswer(bytes)).stream({ ...BODY, stream_options: { include_usage: true } });
    stream.on("chunk", (chunk) => void chunks.push(chunk));
    const completion = await stream.finalChatCompletion();
    expect(straysIn(chunks)).toEqual([]);
    expect(straysOf(completion)).toEqual([]);
    const { finish: _finish, ...whatIsSaid } = said; // the provider's own word, when not strict
    expect(saidByCompletion({ ...completion })).toMatchObject(whatIsSaid);
  });
  test.each(named(bodies))("reads the answer %s", async (_, { provider, bytes, said }) => {
    const completion = await completionsOf(provider, strict, { ...jsonAnswer(""), body: bytes }).create(BODY);
    expect(straysOf(completion)).toEqual([]);
    const { finish: _finish, ...whatIsSaid } = said;
    expect(saidByCompletion({ ...completion })).toMatchObject(whatIsSaid);
  });
});
