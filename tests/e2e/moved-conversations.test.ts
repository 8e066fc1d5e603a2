/**
 * A conversation with a tool, begun with one vendor of the OpenAI wire and moved to another before the tool's result is
 * read: by fallback, over real sockets, through the official client, with stand-ins that refuse what those vendors refuse.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import OpenAI from "openai";
import { jsonAnswer, type Received, type ReplayServer, replayServer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { GATEWAY_KEY, type GatewayProcess, startGateway } from "./process.ts";
import { answerOf, VENDOR_IDS, type VendorId } from "./vendors-that-refuse.ts";

let gateway: GatewayProcess;
let upstream: ReplayServer;
/** Vendors that do not answer at the moment. */
const down = new Set<string>();

beforeAll(async () => {
  upstream = replayServer((request) => {
    const vendor = request.path.split("/")[1] as VendorId; // the hosts of the configs below
    return down.has(vendor) ? jsonAnswer({ error: { message: "down" } }, { status: 500 }) : answerOf(vendor, request);
  });
  gateway = await startGateway({ env: { GATEWAY_TRUSTED_HOSTS: new URL(upstream.url).host } });
});
afterAll(async () => {
  await gateway.stop();
  gateway.remove();
  await upstream.close();
});

const client = (vendors: readonly VendorId[], strict: boolean): OpenAI =>
  new OpenAI({
    apiKey: "sk-vendor",
    baseURL: `${gateway.base}/v1`,
    maxRetries: 0,
    defaultHeaders: {
      "x-gateway-api-key": GATEWAY_KEY,
      "x-gateway-strict-open-ai-compliance": String(strict),
      "x-gateway-config": JSON.stringify({
        strategy: { mode: "fallback" },
        targets: vendors.map((provider) => ({ provider, api_key: "sk-vendor", custom_host: `${upstream.url}/${provider}` })),
      }),
    },
  });

/** As servers of vLLM make them: longer than OpenAI takes them. */
const LONG_ID = `chatcmpl-tool-${"0a1b2c3d".repeat(4)}`;
/** What an earlier turn, answered by a provider of another wire, has left in the conversation. */
const EARLIER = [
  { role: "user", content: "Hello" },
  {
    role: "assistant",
    content: "Hi.",
    refusal: null,
    reasoning_content: "A greeting.",
    content_blocks: [
      { type: "thinking", thinking: "A greeting.", signature: "c2ln" },
      { type: "text", text: "Hi." },
    ],
  },
  { role: "user", content: "Say nothing." },
  { role: "assistant", content: "" },
  { role: "user", content: "Is it warm there?" },
  {
    role: "assistant",
    content: null,
    tool_calls: [{ id: LONG_ID, type: "function", function: { name: "weather", arguments: "{}", thought_signature: "c2ln" } }],
  },
  { role: "tool", tool_call_id: LONG_ID, content: "20 degrees" },
  { role: "assistant", content: null, refusal: "That I may not say." },
  { role: "user", content: "What is the weather in Oslo?" },
] as OpenAI.ChatCompletionMessageParam[];

const TOOLS: OpenAI.ChatCompletionFunctionTool[] = [
  { type: "function", function: { name: "weather", parameters: { type: "object", properties: { city: { type: "string" } } } } },
];
/** Members that not every vendor takes. */
const HINTS: Omit<Partial<OpenAI.ChatCompletionCreateParams>, "stream"> = {
  ...{ store: false, service_tier: "auto", verbosity: "low", modalities: ["text"], safety_identifier: "user-1" },
};

/** The message of one turn as the official client gives it. */
async function turn(
  by: OpenAI,
  messages: readonly OpenAI.ChatCompletionMessageParam[],
  stream: boolean,
): Promise<OpenAI.ChatCompletionMessage> {
  const body = { ...HINTS, model: "m", messages: [...messages], tools: TOOLS };
  const completion = stream
    ? await by.chat.completions.stream(body).finalChatCompletion()
    : await by.chat.completions.create({ ...body, stream: false });
  return completion.choices[0]?.message ?? expect.unreachable();
}

/** Asks the first vendor, which calls the tool; then it is down, and the second one reads the result. */
async function moved(from: VendorId, to: VendorId, how: { readonly stream: boolean; readonly strict: boolean }): Promise<string | null> {
  const by = client([from, to], how.strict);
  const asked = await turn(by, EARLIER, how.stream);
  const [call] = asked.tool_calls ?? [];
  expect({ type: call?.type, name: call?.type === "function" && call.function.name }).toEqual({ type: "function", name: "weather" });
  down.add(from);
  const result = { role: "tool" as const, tool_call_id: call?.id ?? "", content: "sunny" };
  const answered = await turn(by, [...EARLIER, asked, result], how.stream).finally(() => down.delete(from));
  return answered.content;
}

const lastTo = (vendor: VendorId): Received =>
  upstream.received.findLast(({ path }) => path.startsWith(`/${vendor}/`)) ?? expect.unreachable();
interface Sent {
  readonly messages: readonly { readonly tool_call_id?: string; readonly tool_calls?: readonly { readonly id: string }[] }[];
}

const PAIRS = VENDOR_IDS.flatMap((from) => VENDOR_IDS.filter((to) => to !== from).map((to) => [from, to] as const));
describe("a conversation in the middle of a tool call goes on", () => {
  test.each(PAIRS)(verifies("D7.1.moved", "from %s to %s"), async (from, to) => {
    for (const stream of [false, true])
      for (const strict of [true, false]) {
        expect({ stream, strict, content: await moved(from, to, { stream, strict }) }).toEqual({
          stream,
          strict,
          content: "Sunny in Oslo.",
        });
        const { messages } = lastTo(to).json() as Sent;
        const called = messages.flatMap(({ tool_calls = [] }) => tool_calls.map(({ id }) => id));
        expect(messages.flatMap(({ tool_call_id = [] }) => tool_call_id)).toEqual(called);
        expect(new Set(called).size).toBe(2);
      }
  });
});
