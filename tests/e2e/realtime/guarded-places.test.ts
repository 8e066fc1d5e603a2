/** Where guardrails find texts in the events of realtime sessions: wherever a model, or a client, might read one. */
import { afterAll, describe, expect, test } from "bun:test";
import { at, forAll } from "../endpoints/api.ts";
import { until } from "../process.ts";
import { dial, type Dialled } from "./client.ts";
import { type StandIn, standIn } from "./stand-in.ts";

const upstream: StandIn = await standIn();
const api = forAll({ GATEWAY_TRUSTED_HOSTS: `${upstream.host},127.0.0.1` });
afterAll(() => upstream.close());

type Json = Readonly<Record<string, unknown>>;
const guarding = (guards: Json): Readonly<Record<string, string>> => ({
  "x-gateway-config": JSON.stringify({ provider: "openai", custom_host: `${upstream.url}/v1`, api_key: "k", ...guards }),
});
const denying = guarding({ input_guardrails: [{ deny: true, "default.regexMatch": { rule: "secret", not: true } }] });
/** Looks at the whole answer, calls too: denies a secret, and leaves no number in it. */
const reader = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    const { response } = (await request.json()) as { readonly response: { json: Json } };
    const before = JSON.stringify(response.json);
    const after = before.replace(/\d{4}/g, "[gone]");
    return Response.json({
      verdict: !before.includes("secret"),
      ...(after !== before && { transformedData: { response: { json: JSON.parse(after) } } }),
    });
  },
});
afterAll(() => reader.stop(true));
const judged = guarding({ output_guardrails: [{ deny: true, "default.webhook": { webhookURL: reader.url.href } }] });

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
    const session = await dial(api.gateway, denying);
    expect(await passedOn(session, event)).toEqual([]);
    expect(await session.event("error")).toMatchObject({ error: { type: "hooks_failed" } });
    session.close();
  });
  test("and words of an event's form are none", async () => {
    const session = await dial(api.gateway, denying);
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
    const session = await dial(api.gateway, denying);
    expect(await passedOn(session, event)).toEqual([]);
    const error = await session.event("error");
    expect([at(error, "error", "type"), at(error, "error", "message")]).toEqual([
      "invalid_request_error",
      expect.stringContaining("is spelled"),
    ]);
    session.close();
  });
});

const SECRET = "the secret";
const place = { response_id: "r", item_id: "i", output_index: 0, content_index: 0 };
const spoken = { id: "i", type: "message", role: "assistant" };
const created = { type: "response.created", response: { id: "r", status: "in_progress", output: [] } };
const done = { type: "response.done", response: { id: "r", status: "completed", output: [] } };
const inItem = (when: string, item: Json): Json => ({ type: `response.output_item.${when}`, response_id: "r", output_index: 0, item });

describe("an answer's text is read", () => {
  const TELLINGS: readonly (readonly [string, Json])[] = [
    ["when its pieces end", { type: "response.output_text.done", ...place, text: SECRET }],
    ["when a transcript's pieces end", { type: "response.output_audio_transcript.done", ...place, transcript: SECRET }],
    ["when a call's pieces end", { type: "response.function_call_arguments.done", ...place, arguments: `{"a":"${SECRET}"}` }],
    ["in pieces of a server's call", { type: "response.mcp_call_arguments.delta", ...place, delta: SECRET }],
    ["when those end", { type: "response.mcp_call_arguments.done", ...place, arguments: SECRET }],
    ["in pieces of a kind that nobody knows", { type: "response.novelty.delta", ...place, delta: SECRET }],
    ...["added", "done"].flatMap((when) => [
      [`in a part that is ${when}`, { type: `response.content_part.${when}`, ...place, part: { type: "text", text: SECRET } }] as const,
      [
        `in a transcript of a part that is ${when}`,
        { type: `response.content_part.${when}`, ...place, part: { type: "audio", transcript: SECRET } },
      ] as const,
      [`in an item that is ${when}`, inItem(when, { ...spoken, content: [{ type: "output_text", text: SECRET }] })] as const,
      [`in a call that is ${when}`, inItem(when, { id: "i", type: "function_call", call_id: "c", name: "secret", arguments: "" })] as const,
      [
        `in a server's call that is ${when}`,
        inItem(when, { id: "i", type: "mcp_call", name: "x", arguments: "{}", output: SECRET }),
      ] as const,
    ]),
    [
      "when it begins",
      { ...created, response: { ...created.response, output: [{ ...spoken, content: [{ type: "output_text", text: SECRET }] }] } },
    ],
  ];
  test.each(TELLINGS)("%s, whatever its end says", async (_, telling) => {
    const session = await dial(api.gateway, judged);
    for (const event of [created, telling, done]) upstream.last.say(event);
    expect(await session.event("response.done")).toMatchObject({ response: { status: "failed" } });
    expect(session.messages.join("\n")).not.toContain("secret");
    session.close();
  });
  test.each(TELLINGS)("%s, beside another text", async (_, telling) => {
    const session = await dial(api.gateway, judged);
    const piece = { type: "response.output_text.delta", ...place, delta: "harmless" };
    const end = { ...done, response: { ...done.response, output: [{ ...spoken, content: [{ type: "output_text", text: "harmless" }] }] } };
    for (const event of [created, piece, telling, end]) upstream.last.say(event);
    expect(await session.event("response.done")).toMatchObject({ response: { status: "failed" } });
    expect(session.messages.join("\n")).not.toContain("secret");
    session.close();
  });
  test.each(
    ["conversation.item.done", "conversation.item.created", "conversation.item.retrieved"].flatMap((type) => [
      [type, { id: "i", type: "mcp_call", name: "x", arguments: "{}", output: SECRET }] as const,
      [type, { id: "i", type: "custom_tool_call", name: "x", input: SECRET }] as const,
      [type, { id: "i", type: "mcp_approval_request", name: "x", arguments: SECRET }] as const,
      [type, { id: "i", type: "message", content: [{ type: "output_text", text: SECRET }] }] as const,
    ]),
  )("in %s, of the item %o", async (type, item) => {
    const session = await dial(api.gateway, judged);
    upstream.last.say({ type, item });
    expect(await session.event("error")).toMatchObject({ error: { type: "hooks_failed" } });
    expect(session.messages).toHaveLength(1);
    session.close();
  });
  test("and what a client has said is none of it", async () => {
    const session = await dial(api.gateway, judged);
    const items = [
      { id: "u", type: "message", role: "user", content: [{ type: "input_text", text: SECRET }] },
      { id: "o", type: "function_call_output", call_id: "c", output: SECRET },
    ];
    const events = items.map((item) => ({ type: "conversation.item.created", item }));
    for (const event of events) upstream.last.say(event);
    await until("both are heard", () => session.messages.length === 2);
    expect(session.messages).toEqual(events.map((event) => JSON.stringify(event)));
    session.close();
  });
  test("and once it was denied, nothing that comes later tells of it", async () => {
    const session = await dial(api.gateway, judged);
    const half = { type: "conversation.item.done", item: { ...spoken, content: [{ type: "output_text", text: "sec" }] } };
    const whole = { type: "response.output_text.done", ...place, text: "secret" };
    for (const event of [created, half, whole, done, half, { ...whole, text: "sec" }]) upstream.last.say(event);
    upstream.last.say({ type: "rate_limits.updated" });
    await session.event("rate_limits.updated");
    expect(session.events().map(({ type }) => String(type))).toEqual(["response.created", "error", "response.done", "rate_limits.updated"]);
    session.close();
  });
  test.each(TELLINGS)("%s, and heard as guardrails changed it", async (_, telling) => {
    const session = await dial(api.gateway, judged);
    const sound = { type: "response.output_audio.delta", ...place, delta: "UklGRg==" };
    const changed = JSON.parse(JSON.stringify(telling).replaceAll("secret", "number 1234")) as Json;
    for (const event of [created, changed, sound, done]) upstream.last.say(event);
    expect(await session.event("response.done")).toEqual(done as never);
    expect(session.messages.join("\n")).not.toMatch(/1234|UklGRg/);
    session.close();
  });
});
