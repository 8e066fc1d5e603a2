import { isJson, type Json, type StreamEvent } from "#contract";
import { object, objects, text } from "../content/wire.ts";

/** A tool call whose pieces are arriving. */
export interface OpenCall {
  /** The provider's index, when it sends one. */
  readonly key: number | undefined;
  id: string | undefined;
  name: string | undefined;
  /** Arguments that came before the name. */
  held: string;
  announced: boolean;
}

/** Tool deltas -> events, numbered in the order of appearance: providers leave indices out or begin them anywhere. */
export function addTools(delta: Json, calls: OpenCall[], answerId: string, events: StreamEvent[]): void {
  for (const piece of objects(delta["tool_calls"])) addPiece(piece, calls, answerId, events);
  const legacy = delta["function_call"]; // the older single call is a tool call without an id
  if (isJson(legacy) && (legacy["name"] !== undefined || legacy["arguments"] !== undefined))
    addPiece({ index: 0, function: legacy }, calls, answerId, events);
}

function addPiece(piece: Json, calls: OpenCall[], answerId: string, events: StreamEvent[]): void {
  const call = callOf(piece, calls);
  events.push(...callEvents(call, calls.indexOf(call), piece, answerId));
}

/** Characters of arguments before the name of their call. */
const MAX_HELD = 64 * 1024;
/** Each piece is looked for among them. */
const MAX_CALLS = 512;

function callOf(piece: Json, calls: OpenCall[]): OpenCall {
  const key = typeof piece["index"] === "number" ? piece["index"] : undefined;
  const id = text(piece["id"]);
  const existing = calls.findLast((call) => (key === undefined ? id === undefined || call.id === id : call.key === key));
  // The same index with another id and a name is another call: some providers send every parallel call as index 0.
  const isNew =
    existing === undefined ||
    (existing.id !== undefined && id !== undefined && existing.id !== id && text(object(piece["function"])["name"]) !== undefined);
  if (!isNew) return existing;
  if (calls.length === MAX_CALLS) throw new SyntaxError(`it holds more than ${MAX_CALLS} tool calls`);
  const fresh: OpenCall = { key, id: undefined, name: undefined, held: "", announced: false };
  calls.push(fresh);
  return fresh;
}

function callEvents(call: OpenCall, index: number, piece: Json, answerId: string): StreamEvent[] {
  const fn = object(piece["function"]);
  const args = argumentsOf(fn["arguments"]);
  const signature = text(fn["thought_signature"]) ?? text(object(object(piece["extra_content"])["google"])["thought_signature"]);
  const signed = signature === undefined ? {} : { signature };
  if (call.announced) return args === "" && signature === undefined ? [] : [{ type: "tool", index, arguments: args, ...signed }];
  call.id ??= text(piece["id"]);
  call.name ??= text(fn["name"]);
  call.held += args;
  if (call.name === undefined) return unnamed(call); // the name may come after the id
  call.announced = true;
  return [
    {
      type: "tool",
      index,
      id: call.id ?? `call_${answerId}_${index}`,
      name: call.name,
      ...(call.held !== "" && { arguments: call.held }),
      ...signed,
    },
  ];
}

function unnamed({ held }: OpenCall): StreamEvent[] {
  if (held.length > MAX_HELD) throw new SyntaxError("a tool call in it has arguments and no name");
  return [];
}

/** Arguments are JSON as text; a few servers send the object itself. */
const argumentsOf = (value: unknown): string =>
  typeof value === "string" ? value : value === undefined || value === null ? "" : JSON.stringify(value);
