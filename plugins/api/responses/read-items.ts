import { type Json, signedBy, type StreamEvent } from "#contract";
import { tokensIn } from "../content/logprobs.ts";
import { entry, objects, text } from "../content/wire.ts";
import { CUSTOM_INPUT } from "./output/call-item.ts";

type Events = readonly StreamEvent[];
const NOTHING: Events = [];

/** Of one answer; nobody asks for so many. */
const MAX_CALLS = 4_096;
/** The place of each tool call among the calls, by the place of its item in the output. */
export class CallNumbers {
  private readonly numbers = new Map<number, number>();

  begun(outputIndex: number): number {
    const existing = this.numbers.get(outputIndex);
    if (existing !== undefined) return existing;
    if (this.numbers.size >= MAX_CALLS) throw new SyntaxError(`it holds more than ${MAX_CALLS} tool calls`);
    const number = this.numbers.size;
    this.numbers.set(outputIndex, number);
    return number;
  }
  /** A reader that began in the middle has not seen the call's beginning. */
  argument(piece: unknown, outputIndex: number): Events {
    const delta = text(piece);
    return delta === undefined ? NOTHING : [{ type: "tool", index: this.begun(outputIndex), arguments: delta }];
  }
}

/** A custom tool's input is a text; in the one vocabulary a call has JSON. Pieces of a JSON text are escaped one by one. */
export const customPiece = (delta: unknown): string => (typeof delta === "string" ? JSON.stringify(delta).slice(1, -1) : "");
const CUSTOM_OPEN = `{"${CUSTOM_INPUT}":"`;
const CUSTOM_CLOSE = '"}';

/** What the beginning of an item tells; content comes in pieces, or with its end. */
export function itemBegun({ type, call_id, id, name }: Json, outputIndex: number, calls: CallNumbers): Events {
  if (type !== "function_call" && type !== "custom_tool_call") return NOTHING;
  const head = { index: calls.begun(outputIndex), id: text(call_id) ?? String(id), name: String(name) };
  return [{ type: "tool", ...head, ...(type === "custom_tool_call" && { arguments: CUSTOM_OPEN }) }];
}

/** What the end of an item tells beyond its pieces. */
export function itemEnded(item: Json, outputIndex: number, calls: CallNumbers): Events {
  const { type } = item;
  if (type === "reasoning") return signed(item);
  if (type === "custom_tool_call") return calls.argument(CUSTOM_CLOSE, outputIndex);
  return type === "message" || type === "function_call" || typeof type !== "string" ? NOTHING : [{ type: "block", block: item }];
}
/** What the signatures of this wire's models are marked with. */
export const WIRE = "responses";
/** Only its provider can read it. */
const signed = ({ encrypted_content: content }: Json): Events => {
  const signature = text(content);
  return signature === undefined ? NOTHING : [{ type: "reasoning", text: "", signature: signedBy(WIRE, signature) }];
};

/** An item of a whole answer. */
export function itemEvents(item: Json, outputIndex: number, calls: CallNumbers): Events {
  return [...itemBegun(item, outputIndex, calls), ...contentOf(item, outputIndex, calls), ...itemEnded(item, outputIndex, calls)];
}
function contentOf(item: Json, outputIndex: number, calls: CallNumbers): Events {
  if (item.type === "message") return objects(item.content).flatMap((part) => entry(FROM_PART, part.type)?.(part) ?? NOTHING);
  if (item.type === "reasoning") return thoughtOf(item);
  if (item.type === "function_call") return calls.argument(item.arguments, outputIndex);
  return item.type === "custom_tool_call" ? calls.argument(customPiece(item.input), outputIndex) : NOTHING;
}

const FROM_PART: Readonly<Record<string, (part: Json) => Events>> = {
  output_text: ({ text: content, annotations, logprobs }) => [
    { type: "text", text: text(content) ?? "", begins: true },
    ...objects(annotations).map((citation) => ({ type: "citation", citation }) as const),
    ...logprobsOf(logprobs),
  ],
  refusal: ({ refusal }) => [{ type: "refusal", text: text(refusal) ?? "" }],
};

function thoughtOf({ summary, content }: Json): Events {
  const thoughts = [...objects(summary), ...objects(content)].flatMap((part) => text(part.text) ?? []);
  return thoughts.length === 0 ? NOTHING : [{ type: "reasoning", text: thoughts.join("\n\n") }];
}

/** How likely the tokens of a text were. */
export function logprobsOf(wire: unknown): Events {
  const tokens = tokensIn(wire);
  return tokens.length === 0 ? NOTHING : [{ type: "logprobs", tokens }];
}
