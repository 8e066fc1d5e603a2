/** Stand-ins for vendors of the OpenAI wire that refuse what those refuse, and answer as those answer. */
import { jsonAnswer, type Received, type Replay, sseAnswer } from "../kit/replay.ts";

type Json = Readonly<Record<string, unknown>>;

interface Vendor {
  /** Members a body may have; any when absent. */
  readonly body?: ReadonlySet<string>;
  readonly refusedInBody?: ReadonlySet<string>;
  /** Members a message may have, by its role. */
  readonly message: Readonly<Record<string, ReadonlySet<string>>>;
  readonly callId: RegExp;
  /** How the refusal of a member looks. */
  readonly refusal: (member: string) => Replay;
  /** One call of a tool as the vendor writes it. */
  readonly call: (id: string) => Json;
  readonly id: string;
  /** What stands beside a message's content. */
  readonly thought: Json;
}

const set = (...members: string[]): ReadonlySet<string> => new Set(members);
const FUNCTION = { name: "weather", arguments: '{"city":"Oslo"}' };
const openAiRefusal = (message: string): Replay =>
  jsonAnswer({ error: { message, type: "invalid_request_error", param: null, code: null } }, { status: 400 });
const MESSAGE = {
  system: set("role", "content", "name"),
  user: set("role", "content", "name"),
  tool: set("role", "content", "tool_call_id", "name"),
};

export const VENDORS = {
  "mistral-ai": {
    body: set(
      ...["model", "messages", "temperature", "top_p", "max_tokens", "stream", "stop", "random_seed", "response_format", "tools"],
      ...[
        "tool_choice",
        "parallel_tool_calls",
        "presence_penalty",
        "frequency_penalty",
        "n",
        "prediction",
        "prompt_mode",
        "safe_prompt",
        "reasoning_effort",
      ],
    ),
    message: {
      system: set("role", "content"),
      user: set("role", "content"),
      assistant: set("role", "content", "tool_calls", "prefix"),
      tool: set("role", "content", "tool_call_id", "name"),
    },
    callId: /^[a-zA-Z0-9]{9}$/,
    refusal: (member) =>
      jsonAnswer({ detail: [{ type: "extra_forbidden", loc: ["body", member], msg: `refused: ${member}` }] }, { status: 422 }),
    id: "Ab3dE6gH9",
    call: (id) => ({ id, function: FUNCTION }),
    thought: {},
  },
  groq: {
    refusedInBody: set("store", "logprobs", "top_logprobs", "logit_bias"),
    message: { ...MESSAGE, assistant: set("role", "content", "tool_calls", "name", "reasoning") },
    callId: /./,
    refusal: (member) => openAiRefusal(`'messages.0' : property '${member}' is unsupported`),
    id: "functions.weather:0", // of a model that it hosts
    call: (id) => ({ id, type: "function", function: FUNCTION, index: 0 }),
    thought: { reasoning: "I look it up." },
  },
  openai: {
    message: { ...MESSAGE, assistant: set("role", "content", "tool_calls", "name", "refusal", "audio", "function_call", "annotations") },
    callId: /^.{1,40}$/,
    refusal: (member) => openAiRefusal(`Unknown parameter: '${member}'.`),
    id: "call_W4h0vGf2mN1q8sXzT5kLbR7c",
    call: (id) => ({ index: 0, id, type: "function", function: FUNCTION }),
    thought: { refusal: null, annotations: [] },
  },
  deepseek: {
    message: {
      ...MESSAGE,
      assistant: set("role", "content", "tool_calls", "reasoning_content", "prefix", "refusal", "annotations", "reasoning"),
    },
    callId: /./,
    refusal: openAiRefusal,
    id: "call_00_ioIn7yN9p1ZOMNpDLwd4MgAF",
    call: (id) => ({ index: 0, id, type: "function", function: FUNCTION }),
    thought: { reasoning_content: "I look it up." },
  },
} as const satisfies Readonly<Record<string, Vendor>>;
export type VendorId = keyof typeof VENDORS;
export const VENDOR_IDS = Object.keys(VENDORS) as VendorId[]; // its own keys

/** The vendor's answer: a refusal, a call of the tool, or, when the last message is a tool's result, a sentence. */
export function answerOf(vendor: VendorId, request: Received): Replay {
  const body = request.json() as Json;
  const refused = refusedBy(VENDORS[vendor], body);
  if (refused !== undefined) return VENDORS[vendor].refusal(refused);
  const messages = body["messages"] as readonly Json[];
  const spoken = messages.at(-1)?.["role"] === "tool" ? { content: "Sunny in Oslo." } : calling(VENDORS[vendor]);
  return body["stream"] === true ? streamed(spoken) : whole(spoken);
}

function refusedBy(vendor: Vendor, body: Json): string | undefined {
  const inBody = Object.keys(body).find((member) => vendor.refusedInBody?.has(member) || vendor.body?.has(member) === false);
  if (inBody !== undefined) return inBody;
  if ((body["response_format"] as Json | undefined)?.["type"] === "json_schema" && vendor === VENDORS.deepseek)
    return "This response_format type is unavailable now";
  const messages = body["messages"] as readonly Json[];
  const lastUser = messages.findLastIndex(({ role }) => role === "user");
  if (vendor === VENDORS.deepseek && messages.slice(0, lastUser).some((message) => "reasoning_content" in message))
    return "reasoning_content";
  return messages.map((message) => refusedMember(vendor, message)).find((member) => member !== undefined);
}

function refusedMember(vendor: Vendor, message: Json): string | undefined {
  const allowed = vendor.message[String(message["role"])] ?? set();
  const stranger = Object.keys(message).find((member) => !allowed.has(member));
  if (stranger !== undefined) return stranger;
  const calls = (message["tool_calls"] ?? []) as readonly Json[];
  const ids = [...calls.map((call) => call["id"]), message["tool_call_id"] ?? calls[0]?.["id"] ?? vendor.id];
  const isEmpty = message["role"] === "assistant" && !message["content"] && calls.length === 0 && !("refusal" in message);
  if (isEmpty) return "an assistant message with neither content nor tool_calls";
  const inFunction = calls
    .flatMap((call) => Object.keys(call["function"] as Json))
    .find((member) => member !== "name" && member !== "arguments");
  return inFunction ?? ids.map(String).find((id) => !vendor.callId.test(id));
}

/* ── what it says ────────────────────────────────────────────────────────────────────────────────────────────── */

const calling = ({ call, id, thought }: Vendor): Json => ({ content: null, ...thought, tool_calls: [call(id)] });
const HEAD = { id: "chatcmpl-1", created: 1_770_000_000, model: "m-1" };
const USAGE = { prompt_tokens: 9, completion_tokens: 4, total_tokens: 13 };
const finishOf = (spoken: Json): string => (spoken["tool_calls"] === undefined ? "stop" : "tool_calls");

const whole = (spoken: Json): Replay =>
  jsonAnswer({
    ...HEAD,
    object: "chat.completion",
    choices: [{ index: 0, message: { role: "assistant", ...spoken }, finish_reason: finishOf(spoken) }],
    usage: USAGE,
  });
const streamed = (spoken: Json): Replay => {
  const frame = (delta: Json, finish_reason: string | null, more: Json = {}): string =>
    `data: ${JSON.stringify({ ...HEAD, object: "chat.completion.chunk", choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
  return sseAnswer(
    `${frame({ role: "assistant", content: "" }, null)}${frame(spoken, null)}${frame({}, finishOf(spoken), { usage: USAGE })}data: [DONE]\n\n`,
  );
};
