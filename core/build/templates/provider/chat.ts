import { type ChatTurn, defineAdapter, type FinishReason, type Frame, isJson, type Json, mapBody, type StreamEvent } from "#contract";

interface Asked {
  readonly model: string;
  readonly messages: readonly ChatTurn[];
  readonly max_tokens?: number;
  readonly temperature?: number;
  readonly stream?: boolean;
}
interface Sent {
  model: string;
  turns: readonly { readonly from: string; readonly text: string }[];
  limit: number;
  temperature: number;
  stream: boolean;
}

/** The wire: one event a frame; a whole answer is the same events in a list. */
type Wire =
  | { readonly type: "begin"; readonly id: string; readonly model: string }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "end"; readonly reason: string; readonly tokens: { readonly in: number; readonly out: number } };
type Handlers = { readonly [T in Wire["type"]]: (event: Extract<Wire, { type: T }>) => readonly StreamEvent[] };

const ON: Handlers = {
  begin: ({ id, model }) => [{ type: "start", id, model }],
  text: ({ text }) => [{ type: "text", text }],
  end: ({ reason, tokens }) => [
    { type: "usage", usage: { input: tokens.in, output: tokens.out } },
    { type: "finish", reason: FINISH[reason] ?? "stop", native: reason },
  ],
};
const FINISH: Readonly<Record<string, FinishReason>> = { done: "stop", limit: "length" };

const request = mapBody<Asked, Sent>({
  model: "model",
  temperature: "temperature",
  stream: "stream",
  limit: "max_tokens",
  turns: ({ messages }) => messages.map(({ role, content }) => ({ from: role, text: textOf(content) })),
});

const textOf = (content: unknown): string =>
  Array.isArray(content)
    ? content.map((part: unknown) => (isJson(part) && typeof part.text === "string" ? part.text : "")).join("")
    : String(content ?? "");

/** Events this map does not know bring nothing. */
const eventsOf = (event: unknown): readonly StreamEvent[] => {
  if (!isJson(event) || typeof event.type !== "string" || !Object.hasOwn(ON, event.type)) return [];
  return (ON[event.type as Wire["type"]] as (event: unknown) => readonly StreamEvent[])(event); // the handler of its type
};

/** `chatComplete` as `POST /generate`. */
export const chat = defineAdapter({
  path: "/generate",
  request: (body: Json) => ({ ...request(body as unknown as Asked) }), // the route's schema has accepted it
  reply: (body: Json) => (Array.isArray(body.events) ? body.events.flatMap(eventsOf) : []),
  frames: "sse",
  stream: { start: () => undefined, event: (frame: Frame) => eventsOf(JSON.parse(frame.data)) },
});
