/** Streams whose events repeat a text: guardrails see every telling of it, so that none passes that differs from the others. */
import { beforeEach, describe, expect, test } from "bun:test";
import { jsonAnswer, type Received, type Replay, sseAnswer } from "../kit/replay.ts";
import { verifies } from "../requirements/verifies.ts";
import { forAll, type Json } from "./endpoints/api.ts";
import { GATEWAY_KEY } from "./process.ts";
import { nativeStream } from "./responses/stand-ins.ts";

const api = forAll();

/** A text that guardrails let pass, and the one that they deny. */
const FINE = "salutary";
const DENIED = "salary";

/** A wire, how its client asks for it, and the operation's form. */
interface Wire {
  readonly path: string;
  readonly provider: string;
  readonly body: Json | FormData;
  readonly text: string;
}
const event = (name: string, data: Json): string => `${name === "" ? "" : `event: ${name}\n`}data: ${JSON.stringify(data)}\n\n`;
const SAID = { text: FINE, thought: `hm ${FINE}`, call: { of: FINE } };
const RESPONSES: Wire = {
  ...{ path: "/v1/responses", provider: "openai", body: { model: "m", input: "Hello", stream: true } },
  text: nativeStream(SAID),
};

const chunk = (choice: Json): string =>
  event("", { id: "c", object: "chat.completion.chunk", created: 1, model: "m", choices: [{ index: 0, finish_reason: null, ...choice }] });
const chat = (...chunks: readonly string[]): Wire => ({
  ...{ path: "/v1/chat/completions", provider: "openai" },
  body: { model: "m", stream: true, messages: [{ role: "user", content: "Hello" }] },
  text: `${chunks.join("")}data: [DONE]\n\n`,
});
const SAYS = chunk({ delta: { role: "assistant", content: FINE } });
const ENDS = chunk({ delta: {}, finish_reason: "stop" });

const completion = (text: string, finish_reason: string | null = null): string =>
  event("", { id: "c", object: "text_completion", created: 1, model: "m", choices: [{ index: 0, text, finish_reason }] });
const completions = (...chunks: readonly string[]): Wire => ({
  ...{ path: "/v1/completions", provider: "openai", body: { model: "m", stream: true, prompt: "Hello" } },
  text: `${chunks.join("")}data: [DONE]\n\n`,
});

const anthropic = (type: string, members: Json, name = type): string => event(name, { type, ...members });
const messageStart = (content: readonly Json[] = []): string =>
  anthropic("message_start", {
    message: { id: "m", type: "message", role: "assistant", model: "m", content, stop_reason: null, usage: { input_tokens: 1 } },
  });
const textDelta = (text: string, name?: string): string =>
  anthropic("content_block_delta", { index: 0, delta: { type: "text_delta", text } }, name);
const messages = (...beside: readonly [first: string, last: string]): Wire => ({
  ...{ path: "/v1/messages", provider: "anthropic" },
  body: { model: "m", max_tokens: 9, stream: true, messages: [{ role: "user", content: "Hello" }] },
  text: [
    messageStart(),
    beside[0],
    anthropic("content_block_start", { index: 0, content_block: { type: "text", text: "" } }),
    textDelta(FINE),
    beside[1],
    anthropic("content_block_stop", { index: 0 }),
    anthropic("message_delta", { delta: { stop_reason: "end_turn" }, usage: { output_tokens: 1 } }),
    anthropic("message_stop", {}),
  ].join(""),
});

const candidate = (text: string, finishReason?: string): string =>
  event("", { candidates: [{ index: 0, content: { role: "model", parts: [{ text }] }, ...(finishReason && { finishReason }) }] });
const gemini = (...chunks: readonly string[]): Wire => ({
  ...{ path: "/v1beta/models/m:streamGenerateContent?alt=sse", provider: "google" },
  body: { contents: [{ role: "user", parts: [{ text: "Hello" }] }] },
  text: chunks.join(""),
});

const run = (status: string, members: Json = {}): string =>
  event(`thread.run.${status}`, { id: "r", object: "thread.run", status, model: "m", ...members });
const part = (value: string): Json => ({ type: "text", text: { value, annotations: [] } });
const message = (status: string, content: readonly Json[]): string =>
  event(`thread.message.${status}`, { id: "m", object: "thread.message", role: "assistant", status, content });
const messageDelta = (value: string): string =>
  event("thread.message.delta", { id: "m", object: "thread.message.delta", delta: { content: [{ index: 0, ...part(value) }] } });
const waiting = (args: string): string =>
  run("requires_action", {
    required_action: {
      type: "submit_tool_outputs",
      submit_tool_outputs: { tool_calls: [{ id: "t", type: "function", function: { name: "f", arguments: args } }] },
    },
  });
const calls = (args: string): Json => ({
  type: "tool_calls",
  tool_calls: [{ index: 0, id: "t", type: "function", function: { name: "f", arguments: args } }],
});
const stepDelta = (args: string): string =>
  event("thread.run.step.delta", { id: "s", object: "thread.run.step.delta", delta: { step_details: calls(args) } });
const step = (args: string): string =>
  event("thread.run.step.completed", { id: "s", object: "thread.run.step", status: "completed", step_details: calls(args) });
const runs = (...events: readonly string[]): Wire => ({
  ...{ path: "/v1/threads/t_1/runs", provider: "openai", body: { assistant_id: "a", stream: true } },
  text: `${run("created")}${events.join("")}${run("completed")}event: done\ndata: [DONE]\n\n`,
});
const RUN = [
  message("created", []),
  messageDelta(FINE.slice(0, 3)),
  messageDelta(FINE.slice(3)),
  message("completed", [part(FINE)]),
  stepDelta(FINE),
  waiting(FINE),
  waiting(FINE),
  step(FINE),
] as const;

const heard = (...events: readonly Json[]): Wire => ({
  ...{ path: "/v1/audio/transcriptions", provider: "openai", body: form() },
  text: events.map((data) => event("", data)).join(""),
});
function form(): FormData {
  const body = new FormData();
  body.set("model", "m");
  body.set("stream", "true");
  body.set("file", new Blob(["RIFF"]), "a.wav");
  return body;
}
const HEARD = [
  { type: "transcript.text.delta", delta: FINE },
  { type: "transcript.text.segment", id: "1", start: 0, end: 1, speaker: "A", text: FINE },
  { type: "transcript.text.done", text: FINE },
] as const;

/** The same events, one of which says the other text. */
const lying = <T>(events: readonly T[], at: number): readonly T[] => events.with(at, JSON.parse(denied(JSON.stringify(events[at]))) as T);
const denied = (text: string): string => text.replaceAll(FINE, DENIED).replaceAll(FINE.slice(3), DENIED.slice(3));

/** One event of a wire says the other text, wherever it says the first one. */
function lyingAt(wire: Wire, name: string): Wire {
  const frames = wire.text.split(/(?<=\n\n)/).map((frame) => (frame.startsWith(`event: ${name}\n`) ? denied(frame) : frame));
  return { ...wire, text: frames.join("") };
}
const namesIn = ({ text }: Wire): readonly string[] => [
  ...new Set(text.split("\n\n").flatMap((frame) => (frame.includes(FINE) ? [/^event: (.*)$/m.exec(frame)?.[1] ?? ""] : []))),
];

const LIES: readonly (readonly [string, Wire])[] = [
  ...namesIn(RESPONSES).map((name) => [`responses: ${name}`, lyingAt(RESPONSES, name)] as const),
  ["responses: response.created", { ...RESPONSES, text: RESPONSES.text.replace('"output":[]', `"output":[${spoken(DENIED)}]`) }],
  ["responses: output_item.added", { ...RESPONSES, text: RESPONSES.text.replace('"content":[]', `"content":[${outputText(DENIED)}]`) }],
  ["responses: content_part.added", { ...RESPONSES, text: RESPONSES.text.replace(outputText(""), outputText(DENIED)) }],
  ["responses: output_text", { ...RESPONSES, text: lastReplaced(RESPONSES.text, '"output":[', `"output_text":"${DENIED}","output":[`) }],
  [
    "responses: content that is a text",
    {
      ...RESPONSES,
      text: lastReplaced(RESPONSES.text, '"output":[', `"output":[{"id":"y","type":"message","role":"assistant","content":"${DENIED}"},`),
    },
  ],
  ["chat: behind the finish", chat(SAYS, ENDS, chunk({ delta: { content: DENIED } }))],
  ["chat: the last chunk again", chat(SAYS, ENDS, chunk({ delta: { content: DENIED }, finish_reason: "stop" }))],
  ["chat: message beside delta", chat(SAYS, chunk({ delta: {}, message: { role: "assistant", content: DENIED }, finish_reason: "stop" }))],
  ["completions: behind the finish", completions(completion(FINE), completion("", "stop"), completion(DENIED))],
  ["messages: message_start again", messages(messageStart([{ type: "text", text: DENIED }]), "")],
  ["messages: an event named ping", messages("", textDelta(DENIED, "ping"))],
  ["gemini: behind the finish", gemini(candidate(FINE, "STOP"), candidate(DENIED))],
  ...RUN.map((frame, at) => [`run: ${/event: (.*)/.exec(frame)?.[1]} (${at})`, runs(...RUN.with(at, denied(frame)))] as const).slice(2),
  ["run: an event without its name", runs(messageDelta(DENIED).replace(/^event: .*\n/, ""))],
  ["run: a text that is no object", runs(message("completed", [{ type: "text", text: DENIED }]))],
  ["run: thread.message.created", runs(message("created", [part(DENIED)]), ...RUN.slice(1))],
  ["run: thread.message.in_progress", runs(message("in_progress", [part(DENIED)]), ...RUN)],
  ...HEARD.map(({ type }, at) => [`transcript: ${type}`, heard(...lying<Json>(HEARD, at))] as const),
];
/** And how often the judged body may hold the text. */
const HONEST: readonly (readonly [string, Wire, number])[] = [
  ["responses", RESPONSES, 3],
  ["chat", chat(SAYS, chunk({ delta: {}, message: { role: "assistant", content: FINE }, finish_reason: "stop" }), ENDS), 1],
  ["completions", completions(completion(FINE), completion("", "stop")), 1],
  ["messages", messages("event: ping\ndata: not even JSON\n\n", anthropic("ping", {})), 1],
  ["gemini", gemini(candidate(FINE, "STOP")), 1],
  ["run", runs(...RUN), 4], // its message, the call that it waits for, the step's, and that in pieces
  ["transcript", heard(...HEARD), 1],
];

function outputText(text: string): string {
  return `{"type":"output_text","text":"${text}","annotations":[],"logprobs":[]}`;
}
function spoken(text: string): string {
  return `{"id":"x","type":"message","role":"assistant","content":[${outputText(text)}]}`;
}
function lastReplaced(text: string, what: string, by: string): string {
  const from = text.lastIndexOf(what);
  return text.slice(0, from) + by + text.slice(from + what.length);
}

/** Asked of its provider, with a webhook that judges the whole answer. */
async function ask({ path, provider, body, text }: Wire): Promise<{ readonly status: number; readonly text: string }> {
  api.upstream.answer((request) => (request.path === "/hook" ? judge(request) : sseAnswer(text)));
  const target = { provider, api_key: "k", custom_host: `${api.upstream.url}${provider === "google" ? "/v1beta" : "/v1"}` };
  const output_guardrails = [{ deny: true, "default.webhook": { webhookURL: `${api.upstream.url}/hook` } }];
  const headers = { "x-gateway-config": JSON.stringify({ ...target, output_guardrails }) };
  if (!(body instanceof FormData)) return api.data("POST", path, headers, body);
  const sent = { method: "POST", headers: { ...headers, "x-gateway-api-key": GATEWAY_KEY }, body };
  const answer = await fetch(api.gateway.base + path, sent);
  return { status: answer.status, text: await answer.text() };
}
const withoutPings = (text: string): string => text.replaceAll(/event: ping\ndata: .*\n\n/g, "");
let judgements: string[] = [];
beforeEach(() => {
  judgements = [];
});
function judge({ json }: Received): Replay {
  const { response } = json() as { response: { json: Json } };
  judgements.push(JSON.stringify(response.json));
  return jsonAnswer({ verdict: !judgements.at(-1)?.includes(DENIED) });
}

describe("of a stream that a guardrail judges", () => {
  test.each(LIES)(verifies("D7.guarded.repeated", "no telling of a text passes unseen: %s"), async (_, wire) => {
    const answer = await ask(wire);
    expect([answer.status, answer.text.includes(DENIED)]).toEqual([446, false]);
  });
  test.each(HONEST)(
    verifies("D7.guarded.repeated", "an honest one passes as it came, its texts judged once: %s"),
    async (_, wire, times) => {
      const answer = await ask(wire);
      expect([answer.status, withoutPings(answer.text)]).toEqual([200, withoutPings(wire.text)]);
      expect(judgements.map((judged) => judged.split(FINE).length - 1)).toEqual([times]);
    },
  );
});
