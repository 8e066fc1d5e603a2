import { type FinishReason, type Frame, isJson, type Json, parseJson, type StreamEvent } from "#contract";
import { failureFrame, failureIn } from "./failure.ts";
import { count, text } from "./wire.ts";

/* What the wires of chat and of text completions have in common: answers as lists of choices, and chunks of them. */

/** A stream's chunk; `null` where its frame says nothing. A frame that is no JSON (one cut in its middle, a proxy's page) throws a SyntaxError. */
export function chunkIn({ data, event }: Frame): Json | null {
  if (data === "[DONE]" || data === "") return null;
  const chunk: unknown = parseJson(data);
  if (!isJson(chunk)) throw new SyntaxError("a stream chunk is not a JSON object");
  const failed = event === "error" ? failureFrame(chunk) : failureIn(chunk);
  if (failed) throw failed;
  return chunk;
}

/** The choices of a whole answer. */
export function choicesIn(body: Json): readonly unknown[] {
  const failed = failureIn(body);
  if (failed) throw failed;
  const { choices } = body;
  if (!Array.isArray(choices)) throw new SyntaxError("the answer has no choices");
  return choices;
}

export function beginning(chunk: Json): StreamEvent {
  const [id, model, created] = [text(chunk["id"]), text(chunk["model"]), count(chunk["created"])];
  return { type: "start", ...(id && { id }), ...(model && { model }), ...(created && { created }) };
}

/** Of one answer; nobody can ask for so many. */
const MAX_CHOICES = 4_096;
export function refuseMore(choices: number): void {
  if (choices >= MAX_CHOICES) throw new SyntaxError(`it holds more than ${MAX_CHOICES} choices`);
}

const REASONS: ReadonlySet<string> = new Set<FinishReason>(["stop", "length", "tool_calls", "content_filter", "function_call"]);
const isReason = (reason: string): reason is FinishReason => REASONS.has(reason);
/** A provider's own word means a plain end. */
export const finishOf = (reason: string): { reason: FinishReason; native?: string } =>
  isReason(reason) ? { reason } : { reason: "stop", native: reason };
