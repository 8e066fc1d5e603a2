import { isJson, type Json, type ServedTo, signedBy, type Unsealed, unsealed } from "#contract";
import { named, namedAll, text } from "../wire.ts";
import { partsOf, plain, textOf } from "./parts.ts";

type Turns = readonly Json[];
type Parts = readonly Json[];

/** The contents of a conversation as the chat messages that say the same. */
export function turnsOf(contents: unknown, to: ServedTo): Turns {
  const calls = new Calls();
  let made: Parts = [];
  const turns = joined(namedAll(contents)).flatMap(({ role, parts }): Turns => {
    const madeBefore = made;
    made = role === "model" ? madeImages(parts) : [];
    return role === "model" ? [modelTurn(parts, calls, to)] : userTurns(parts, madeBefore, calls, to);
  });
  return made.length === 0 ? turns : [...turns, { role: "user", content: made }];
}
/** The system text stands before the conversation. */
export function systemTurn(instruction: unknown): Turns {
  const parts = typeof instruction === "string" ? [{ text: instruction }] : namedAll(named(instruction).parts);
  const content = textOf(parts.flatMap(partsOf));
  return content === "" ? [] : [{ role: "system", content }];
}

interface Content {
  readonly role: "user" | "model";
  readonly parts: Parts;
}
/** Clients keep a streamed answer as the contents of its chunks: neighbours of one role are one. */
function joined(contents: readonly Json[]): readonly Content[] {
  const out: { role: Content["role"]; parts: Json[] }[] = [];
  for (const content of contents) {
    const role = content.role === "model" ? "model" : "user";
    const parts = namedAll(content.parts);
    const last = out.at(-1);
    if (last?.role === role) last.parts.push(...parts);
    else out.push({ role, parts: [...parts] });
  }
  return out;
}

/** Calls that wait for their results. Some clients give neither an id: then the first of that name is meant. */
class Calls {
  private made = 0;
  private readonly byId = new Map<unknown, Waiting>();
  private readonly byName = new Map<unknown, Waiting>();

  called({ id, name }: Json): string {
    const call = { id: text(id) ?? `call_${this.made++}`, isAnswered: false };
    queueOf(this.byId, call.id).calls.push(call);
    queueOf(this.byName, name).calls.push(call);
    return call.id;
  }
  answered({ id, name }: Json): string {
    const call = text(id) === undefined ? firstOf(this.byName.get(name)) : firstOf(this.byId.get(id));
    if (call) call.isAnswered = true;
    return call?.id ?? text(id) ?? `call_${this.made++}`;
  }
}
interface Call {
  readonly id: string;
  isAnswered: boolean;
}
/** Calls in their order; those before `next` have their results. */
interface Waiting {
  readonly calls: Call[];
  next: number;
}
function queueOf(queues: Map<unknown, Waiting>, key: unknown): Waiting {
  const queue = queues.get(key) ?? { calls: [], next: 0 };
  queues.set(key, queue);
  return queue;
}
function firstOf(queue: Waiting | undefined): Call | undefined {
  while (queue?.calls[queue.next]?.isAnswered) queue.next += 1;
  return queue?.calls[queue.next];
}

function modelTurn(parts: Parts, calls: Calls, to: ServedTo): Json {
  const content = textOf(parts.filter(isText).flatMap(partsOf), "");
  const called = parts.filter(({ functionCall }) => isJson(functionCall)).map((part) => toolCall(part, calls, to));
  const thoughts = parts.map((part) => (isThought(part) ? (text(part.text) ?? "") : "")).join("");
  return {
    role: "assistant",
    content: content === "" && called.length > 0 ? null : content,
    ...(thoughts !== "" && { reasoning_content: thoughts }),
    ...(to.mapped && signedBlocks(parts)),
    ...(called.length > 0 && { tool_calls: called }),
  };
}
/** The chat form has no place for images in what an assistant says: the user's next message shows them. */
function madeImages(parts: Parts): Parts {
  const images = parts.filter((part) => !isThought(part) && isImage(part)).flatMap(partsOf);
  return images.length === 0 ? [] : [{ type: "text", text: "The image that was made:" }, ...images];
}
const isImage = ({ inlineData }: Json): boolean => text(named(inlineData).mimeType)?.startsWith("image/") === true;
const isThought = ({ thought }: Json): boolean => thought === true;
/** What Google's own tools did is history; what was said of it stands in the text. */
const isText = (part: Json): boolean => !isThought(part) && typeof part.text === "string";

function toolCall({ functionCall, thoughtSignature: signature }: Json, calls: Calls, { mapped }: ServedTo): Json {
  const call = named(functionCall);
  const mark = mapped ? markOf(text(signature)) : undefined;
  const signed = mark?.type === "signature" ? { thought_signature: mark.signature } : {};
  return { id: calls.called(call), type: "function", function: { name: call.name, arguments: JSON.stringify(call.args ?? {}), ...signed } };
}

/** Thoughts with their signatures and texts, in order: a signature ends the thought whose pieces came before it. */
function signedBlocks(parts: Parts): Json {
  const blocks: Json[] = [];
  let thinking = "";
  for (const part of parts) {
    if (isText(part) && part.text !== "") blocks.push({ type: "text", text: part.text });
    if (!isThought(part)) continue;
    thinking += text(part.text) ?? "";
    const signature = text(part.thoughtSignature);
    if (signature === undefined) continue;
    blocks.push(thought(thinking, signature));
    thinking = "";
  }
  return blocks.some(({ type }) => type !== "text") ? { content_blocks: withJoinedTexts(blocks) } : {};
}
function thought(thinking: string, sealed: string): Json {
  const mark = markOf(sealed);
  if (mark?.type === "redacted") return { type: "redacted_thinking", data: mark.data };
  return { type: "thinking", thinking, signature: mark?.signature };
}
/** What has no mark of a vendor's came from the one whose own form this is. */
function markOf(sealed: string | undefined): Unsealed | undefined {
  const mark = sealed === undefined ? undefined : unsealed(sealed);
  return mark?.type === "signature" ? { ...mark, signature: signedBy("gemini", mark.signature) } : mark;
}
function withJoinedTexts(blocks: readonly Json[]): Parts {
  const out: Json[] = [];
  for (const block of blocks) {
    const last = out.at(-1);
    if (last?.type === "text" && block.type === "text")
      out[out.length - 1] = { type: "text", text: `${String(last.text)}${String(block.text)}` };
    else out.push(block);
  }
  return out;
}

/** Results of functions must follow their calls at once; what was said beside them comes behind. */
function userTurns(parts: Parts, made: Parts, calls: Calls, to: ServedTo): Turns {
  const results = parts.flatMap(({ functionResponse }) => (isJson(functionResponse) ? [named(functionResponse)] : []));
  const turns = results.map((result) => resultTurn(result, calls.answered(result), to));
  const beside = parts.filter(({ functionResponse }) => functionResponse === undefined).flatMap(partsOf);
  const content = [...made, ...results.flatMap(seenBeside), ...beside];
  return content.length === 0 && turns.length > 0 ? turns : [...turns, { role: "user", content: plain(content) }];
}

function resultTurn({ response }: Json, tool_call_id: string, { mapped }: ServedTo): Json {
  const { error, ...others } = isJson(response) ? response : { output: response };
  if (error === undefined) return { role: "tool", tool_call_id, content: resultText(others) };
  const why = typeof error === "string" ? error : JSON.stringify(error);
  return mapped ? { role: "tool", tool_call_id, content: why, is_error: true } : { role: "tool", tool_call_id, content: `Error: ${why}` };
}
/** Most say their result in one of two members alone. */
function resultText(response: Json): string {
  const [only, ...others] = Object.entries(response);
  const isAlone = only !== undefined && others.length === 0 && (only[0] === "output" || only[0] === "result");
  return isAlone && typeof only[1] === "string" ? only[1] : JSON.stringify(response);
}
/** Images and files of a result stand in the user's message behind it. */
function seenBeside({ name, parts }: Json): Parts {
  const seen = namedAll(parts).flatMap(partsOf);
  return seen.length === 0 ? [] : [{ type: "text", text: `The result of the function ${String(name)}:` }, ...seen];
}
