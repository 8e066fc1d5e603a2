/** Stand-ins for vendors that sign what their models think: they refuse another's signature, and answer as those answer. */
import { event } from "../../providers/bedrock-eventstream.ts";
import { jsonAnswer, type Received, type Replay, sseAnswer } from "../../kit/replay.ts";
import { byGoogle } from "../gemini/stand-ins.ts";
import { anthropicBody, anthropicStream } from "../messages/stand-ins.ts";

export type Json = Readonly<Record<string, unknown>>;

/** Canonical base64 both, as the vendors write it; `+` and `/` stand for what some clients write in another alphabet. */
export const CLAUDE_SIGNATURE = "EqQBCkYIBxgCKkD+/3Rob3VnaHQgb2YgQ2xhdWRl";
export const GEMINI_SIGNATURE = "CsEBAb4+9vs/dGhvdWdodCBvZiBHZW1pbmkx";

/** Why a vendor refuses a body; nothing where it takes it. */
type Refused = string | undefined;
const list = (value: unknown): readonly Json[] => (Array.isArray(value) ? (value as readonly Json[]) : []);
const strangerIn = (object: Json, allowed: string): Refused => Object.keys(object).find((name) => !allowed.split(" ").includes(name));
const firstOf = <T>(items: readonly T[], fault: (item: T) => Refused): Refused => {
  for (const item of items) {
    const found = fault(item);
    if (found !== undefined) return found;
  }
  return undefined;
};

/* ── Anthropic, and Claude on Bedrock in Anthropic's form ────────────────────────────────────────────────────── */

const MESSAGE_MEMBERS =
  "model messages max_tokens system metadata stop_sequences stream temperature thinking tools tool_choice top_k top_p anthropic_version";
const BLOCK_MEMBERS: Readonly<Record<string, string>> = {
  text: "type text cache_control citations",
  thinking: "type thinking signature",
  redacted_thinking: "type data",
  tool_use: "type id name input cache_control",
  tool_result: "type tool_use_id content is_error cache_control",
};
function blockFault(block: Json): Refused {
  const allowed = BLOCK_MEMBERS[String(block["type"])];
  const stranger = allowed === undefined ? String(block["type"]) : strangerIn(block, allowed);
  if (stranger !== undefined) return `${stranger}: Extra inputs are not permitted`;
  if (block["type"] === "thinking" && block["signature"] !== CLAUDE_SIGNATURE) return "Invalid `signature` in `thinking` block";
  const id = block["id"] ?? block["tool_use_id"] ?? "id";
  return /^[a-zA-Z0-9_-]+$/.test(String(id)) ? undefined : `${String(id)}: String should match pattern '^[a-zA-Z0-9_-]+$'`;
}
function messagesFault(body: Json): Refused {
  const stranger = strangerIn(body, MESSAGE_MEMBERS);
  if (stranger !== undefined) return `${stranger}: Extra inputs are not permitted`;
  const turns = list(body["messages"]);
  const inBlocks = firstOf(turns, ({ content }) => firstOf(list(content), blockFault));
  return inBlocks ?? unsignedTurn(body, turns);
}
/** With a budget, a turn that called a tool must have begun with its thought. */
function unsignedTurn({ thinking }: Json, turns: readonly Json[]): Refused {
  const results = list(turns.at(-1)?.["content"]).some(({ type }) => type === "tool_result");
  const [first] = list(turns.at(-2)?.["content"]);
  const isThinking = (thinking as Json | undefined)?.["type"] === "enabled";
  return results && isThinking && first?.["type"] !== "thinking" ? "Expected `thinking`, but found `tool_use`" : undefined;
}

const claude = (answers: boolean) =>
  answers
    ? { content: [{ type: "text", text: "Sunny in Oslo." }] }
    : {
        stop: "tool_use",
        content: [
          { type: "thinking", thinking: "I look it up.", signature: CLAUDE_SIGNATURE },
          { type: "tool_use", id: "toolu_01A", name: "weather", input: { city: "Oslo" } },
        ],
      };
const answersResult = (body: Json): boolean =>
  list(list(body["messages"]).at(-1)?.["content"]).some((block) => block["type"] === "tool_result" || "toolResult" in block);

function anthropic(request: Received): Replay {
  const body = request.json() as Json;
  const fault = messagesFault(body);
  if (fault !== undefined) return jsonAnswer({ type: "error", error: { type: "invalid_request_error", message: fault } }, { status: 400 });
  const message = claude(answersResult(body));
  return body["stream"] === true ? sseAnswer(anthropicStream(message)) : jsonAnswer(anthropicBody(message));
}

/* ── Bedrock ─────────────────────────────────────────────────────────────────────────────────────────────────── */

function converseFault(block: Json): Refused {
  const stranger = strangerIn(block, "text toolUse toolResult reasoningContent");
  if (stranger !== undefined) return `${stranger} is no content block`;
  const { signature } = ((block["reasoningContent"] as Json | undefined)?.["reasoningText"] ?? { signature: CLAUDE_SIGNATURE }) as Json;
  if (signature !== CLAUDE_SIGNATURE) return "Invalid `signature` in `thinking` block";
  const { toolUseId = "id" } = (block["toolUse"] ?? block["toolResult"] ?? {}) as Json;
  return /^[a-zA-Z0-9_-]{1,64}$/.test(String(toolUseId)) ? undefined : `toolUseId ${String(toolUseId)}`;
}
const CONVERSE_USAGE = { inputTokens: 12, outputTokens: 7, totalTokens: 19 };
const converseBlocks = (answers: boolean): readonly Json[] =>
  answers
    ? [{ text: "Sunny in Oslo." }]
    : [
        { reasoningContent: { reasoningText: { text: "I look it up.", signature: CLAUDE_SIGNATURE } } },
        { toolUse: { toolUseId: "tooluse_1", name: "weather", input: { city: "Oslo" } } },
      ];
function converseStream(answers: boolean): Uint8Array {
  const delta = (contentBlockIndex: number, piece: Json): Uint8Array => event("contentBlockDelta", { contentBlockIndex, delta: piece });
  const said = answers
    ? [delta(0, { text: "Sunny in Oslo." })]
    : [
        delta(0, { reasoningContent: { text: "I look it up." } }),
        delta(0, { reasoningContent: { signature: CLAUDE_SIGNATURE } }),
        event("contentBlockStart", { contentBlockIndex: 1, start: { toolUse: { toolUseId: "tooluse_1", name: "weather" } } }),
        delta(1, { toolUse: { input: '{"city":"Oslo"}' } }),
        event("contentBlockStop", { contentBlockIndex: 1 }),
      ];
  return Buffer.concat([
    event("messageStart", { role: "assistant" }),
    ...said,
    event("messageStop", { stopReason: answers ? "end_turn" : "tool_use" }),
    event("metadata", { usage: CONVERSE_USAGE }),
  ]);
}
const binary = (body: Uint8Array): Replay => ({ headers: { "content-type": "application/vnd.amazon.eventstream" }, body });
/** The events of a stream of Anthropic's, each in an event of AWS's. */
const invokeStream = (wire: string): Uint8Array =>
  Buffer.concat(
    [...wire.matchAll(/^data: (.*)$/gm)].map(([, data = ""]) => event("chunk", { bytes: Buffer.from(data).toString("base64") })),
  );

function bedrock(request: Received): Replay {
  const body = request.json() as Json;
  const isConverse = request.path.includes("/converse");
  const fault = isConverse ? firstOf(list(body["messages"]), ({ content }) => firstOf(list(content), converseFault)) : messagesFault(body);
  if (fault !== undefined) return jsonAnswer({ message: fault }, { status: 400, headers: { "x-amzn-errortype": "ValidationException" } });
  const answers = answersResult(body);
  if (!isConverse)
    return request.path.includes("response-stream")
      ? binary(invokeStream(anthropicStream(claude(answers))))
      : jsonAnswer(anthropicBody(claude(answers)));
  if (request.path.includes("converse-stream")) return binary(converseStream(answers));
  const stopReason = answers ? "end_turn" : "tool_use";
  return jsonAnswer({ output: { message: { role: "assistant", content: converseBlocks(answers) } }, stopReason, usage: CONVERSE_USAGE });
}

/* ── Google ──────────────────────────────────────────────────────────────────────────────────────────────────── */

const UNSIGNED = "skip_thought_signature_validator"; // what Google's documentation names for calls of other models
function partFault(part: Json): Refused {
  const stranger =
    strangerIn(part, "text thought thoughtSignature inlineData fileData functionCall functionResponse") ??
    strangerIn((part["functionCall"] ?? {}) as Json, "id name args");
  if (stranger !== undefined) return `Invalid JSON payload received. Unknown name "${stranger}"`;
  const { thoughtSignature: signature = GEMINI_SIGNATURE } = part;
  const isOwn = Buffer.from(String(signature), "base64").equals(Buffer.from(GEMINI_SIGNATURE, "base64")); // bytes, in either alphabet
  return isOwn || signature === UNSIGNED ? undefined : "Corrupted thought signature.";
}
function contentFault({ role, parts }: Json): Refused {
  const call = list(parts).find((part) => "functionCall" in part);
  const isUnsigned = role === "model" && call !== undefined && call["thoughtSignature"] === undefined;
  return isUnsigned ? "Function call is missing a thought_signature in functionCall parts." : firstOf(list(parts), partFault);
}
function google(request: Received): Replay {
  const contents = list((request.json() as Json)["contents"]);
  const fault = firstOf(contents, contentFault);
  if (fault !== undefined) return jsonAnswer({ error: { code: 400, message: fault, status: "INVALID_ARGUMENT" } }, { status: 400 });
  const answers = list(contents.at(-1)?.["parts"]).some((part) => "functionResponse" in part);
  const said: readonly Json[] = answers
    ? [{ text: "Sunny in Oslo." }]
    : [
        { text: "I look it up.", thought: true },
        { functionCall: { name: "weather", args: { city: "Oslo" } }, thoughtSignature: GEMINI_SIGNATURE },
      ];
  return byGoogle(said)(request);
}

export const SIGNING_VENDORS = { anthropic, bedrock, google } as const;
/** What each signs with, and wants back as it was. */
export const SIGNATURES: Readonly<Record<string, string>> = {
  anthropic: CLAUDE_SIGNATURE,
  bedrock: CLAUDE_SIGNATURE,
  google: GEMINI_SIGNATURE,
};
