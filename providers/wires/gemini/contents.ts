import { type ChatRequest, InnerJson, isJson, type Json, signatureFor } from "#contract";
import { inner as memberOf, type Part, partsOf } from "./parts.ts";
import { GEMINI_WIRE, isSigning, UNSIGNED } from "./wire.ts";

export interface Content {
  readonly role: "user" | "model";
  readonly parts: Part[];
}
/** What one message becomes. Answers of tools stay a content of their own: it must hold as many as were called. */
interface Turn extends Content {
  readonly isTools: boolean;
}
const SYSTEM = new Set(["system", "developer"]);
/** These take no system instruction; it leads the first message instead. */
const WITHOUT_SYSTEM = /gemma-[123]|gemini-(1\.0-)?pro(-vision)?(-001|-latest|-vision-latest)?$/;

interface Conversation {
  readonly systemInstruction: { readonly role: "system"; readonly parts: readonly Part[] } | undefined;
  readonly contents: readonly Content[];
}

/** The conversation: leading system messages apart, neighbours of the same role as one content. */
export function conversationOf({ messages, model }: ChatRequest): Conversation {
  const firstTurn = messages.findIndex(({ role }) => !SYSTEM.has(role));
  const lead = firstTurn < 0 ? messages.length : firstTurn;
  const parts = messages.slice(0, lead).flatMap(({ content }) => partsOf(content));
  const isKept = WITHOUT_SYSTEM.test(model);
  const before: Turn[] = isKept ? [user(parts)] : [];
  return {
    systemInstruction: isKept || parts.length === 0 ? undefined : { role: "system", parts },
    contents: joined([...before, ...turnsOf(messages.slice(lead), model)]),
  };
}

/** The calls of a conversation: their names by id, which answers must repeat, and the reader of their arguments. */
interface Calls {
  readonly names: Map<unknown, unknown>;
  readonly inner: InnerJson;
}
function turnsOf(messages: ChatRequest["messages"], model: string): Turn[] {
  const calls: Calls = { names: new Map(), inner: new InnerJson() };
  return messages.map((message): Turn => {
    const turn: Json = { ...message };
    if (message.role === "assistant") return assistant(turn, calls, model);
    // a system message amid the conversation keeps its place, in the only role there is for it
    return message.role === "tool" || message.role === "function" ? toolAnswer(turn, calls) : user(partsOf(message.content));
  });
}
const user = (parts: Part[]): Turn => ({ role: "user", isTools: false, parts });

function joined(turns: readonly Turn[]): Content[] {
  const out: Turn[] = [];
  for (const turn of turns) {
    const last = out.at(-1);
    if (turn.parts.length === 0) continue;
    if (last?.role === turn.role && last.isTools === turn.isTools) for (const part of turn.parts) last.parts.push(part);
    else out.push(turn);
  }
  return out.map(({ role, parts }) => ({ role, parts }));
}

function assistant(turn: Json, earlier: Calls, model: string): Turn {
  const calls = Array.isArray(turn.tool_calls) ? turn.tool_calls.filter(isJson) : [];
  const parts = calls.map((call) => functionCall(call, earlier));
  const [first] = parts;
  if (first && first.thoughtSignature === undefined && isSigning(model)) first.thoughtSignature = UNSIGNED;
  return { role: "model", isTools: false, parts: [...contentParts(turn), ...parts] };
}
/** `content_blocks` (thinking with its signature, as this provider gave it) win over the plain text that repeats them. */
function contentParts(turn: Json): Part[] {
  const blocks = Array.isArray(turn.content_blocks) ? turn.content_blocks.filter(isJson).filter(({ type }) => OWN.has(type)) : [];
  const hasText = blocks.some(({ type }) => type === "text");
  return [...partsOf(blocks), ...(hasText ? [] : partsOf(turn.content ?? turn.refusal))];
}

/** Blocks that this wire gives or takes; another vendor's are refused. */
const OWN: ReadonlySet<unknown> = new Set(["text", "thinking", "image_url", "executableCode", "codeExecutionResult", "fileData"]);

function functionCall(call: Json, { names, inner }: Calls): Part {
  const { name, arguments: text, thought_signature } = memberOf(call, "function");
  const thoughtSignature = signatureFor(GEMINI_WIRE, thought_signature ?? elsewhere(call));
  names.set(call.id, name);
  const signed = thoughtSignature === undefined ? {} : { thoughtSignature };
  return { functionCall: { ...wireId(call.id), name, args: inner.argumentsOf(text) }, ...signed };
}
/** Where Google's OpenAI-compatible endpoint puts the signature. */
function elsewhere({ extra_content: extra }: Json): unknown {
  return isJson(extra) && isJson(extra.google) ? extra.google.thought_signature : undefined;
}
function toolAnswer({ tool_call_id: id, name, content }: Json, { names }: Calls): Turn {
  const parts = partsOf(content);
  const output = parts.flatMap(({ text }) => (typeof text === "string" ? [text] : [])).join("\n");
  const answer: Part = { functionResponse: { ...wireId(id), name: names.get(id) ?? name ?? id, response: { output } } };
  return { role: "user", isTools: true, parts: [answer, ...parts.filter(({ text }) => text === undefined)] };
}
/** Newer models name their calls and want the name back; `call_…` was made by a gateway or another vendor. */
const wireId = (id: unknown): Json => (typeof id === "string" && !id.startsWith("call_") ? { id } : {});
