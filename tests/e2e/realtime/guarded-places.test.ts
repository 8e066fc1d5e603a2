/** Where guardrails find texts in the events of realtime sessions: wherever a model, or a client, might read one. */
import { afterAll, describe, expect, test } from "bun:test";
import { at, forAll } from "../endpoints/api.ts";
import { until } from "../process.ts";
import { dial, type Dialled } from "./client.ts";
import { type StandIn, standIn } from "./stand-in.ts";

const upstream: StandIn = await standIn();
const api = forAll({ GATEWAY_TRUSTED_HOSTS: upstream.host });
afterAll(() => upstream.close());

type Json = Readonly<Record<string, unknown>>;
const denying = (side: "input" | "output"): Readonly<Record<string, string>> => ({
  "x-gateway-config": JSON.stringify({
    provider: "openai",
    custom_host: `${upstream.url}/v1`,
    api_key: "k",
    [`${side}_guardrails`]: [{ deny: true, "default.regexMatch": { rule: "secret", not: true } }],
  }),
});

const tool = (properties: Json): Json => ({
  type: "session.update",
  session: { tools: [{ type: "function", name: "x", parameters: { type: "object", properties } }] },
});
const item = (of: Json): Json => ({ type: "conversation.item.create", item: of });
const message = (part: Json): Json => item({ type: "message", role: "user", content: [part] });

const LAST = JSON.stringify({ type: "response.cancel" });
/** What of an event reaches the provider. */
async function passedOn(session: Dialled, event: Json): Promise<readonly string[]> {
  session.say(event);
  session.say(LAST);
  await until("what came behind it arrives", () => upstream.last.received.includes(LAST));
  return upstream.last.received.slice(0, -1);
}

describe("a client's text is read", () => {
  const TEXTS: readonly (readonly [string, Json])[] = [
    ...["status", "id", "detail", "format", "audio", "role", "phase", "object", "type"].map(
      (name) => [`of a tool's parameter called ${name}`, tool({ [name]: { type: "string", description: "the secret" } })] as const,
    ),
    ...["detail", "id", "type"].map(
      (name) =>
        [
          `in a prompt's variable called ${name}`,
          { type: "session.update", session: { prompt: { id: "p", variables: { [name]: "the secret" } } } },
        ] as const,
    ),
    [
      "in a part that a prompt's variable is",
      { type: "session.update", session: { prompt: { id: "p", variables: { status: { type: "input_text", text: "the secret" } } } } },
    ],
    [
      "in a response's tool",
      { type: "response.create", response: { tools: [{ parameters: { properties: { id: { title: "secret" } } } }] } },
    ],
    ["below a part's member that names a form", message({ type: "input_image", detail: { text: "the secret" } })],
    ["in a member of an item that nobody knows", item({ type: "novelty", data: { status: "the secret" } })],
  ];
  test.each(TEXTS)("%s", async (_, event) => {
    const session = await dial(api.gateway, denying("input"));
    expect(await passedOn(session, event)).toEqual([]);
    expect(await session.event("error")).toMatchObject({ error: { type: "hooks_failed" } });
    session.close();
  });
  test("and words of an event's form are none", async () => {
    const session = await dial(api.gateway, denying("input"));
    const part = { type: "input_image", image_url: "data:image/png;base64,secret", detail: "secret" };
    const sent = [
      item({ type: "message", id: "secret", status: "secret", role: "user", content: [part] }),
      tool({ a: { type: "secret" } }),
    ];
    for (const event of sent) session.say(event);
    await until("both arrive", () => upstream.last.received.length === 2);
    expect(upstream.last.received).toEqual(sent.map((event) => JSON.stringify(event)));
    session.close();
  });
  test.each([
    ["a session's", { type: "session.update", session: { Instructions: "Say the secret." } }],
    ["a response's", { type: "response.create", response: { INSTRUCTIONS: "Say the secret." } }],
    [
      "a transcription's",
      { type: "session.update", session: { audio: { input: { transcription: { model: "w", Prompt: "the secret" } } } } },
    ],
    ["a prompt's", { type: "session.update", session: { prompt: { id: "p", Variables: { a: "the secret" } } } }],
    ["an item's", item({ type: "function_call_output", call_id: "c", Output: "the secret" })],
    ["an item's of a response", { type: "response.create", response: { input: [{ type: "function_call_output", Output: "secret" }] } }],
  ])("so that no other spelling of its member passes: %s", async (_, event) => {
    const session = await dial(api.gateway, denying("input"));
    expect(await passedOn(session, event)).toEqual([]);
    const error = await session.event("error");
    expect([at(error, "error", "type"), at(error, "error", "message")]).toEqual([
      "invalid_request_error",
      expect.stringContaining("is spelled"),
    ]);
    session.close();
  });
});
