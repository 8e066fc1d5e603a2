import { type Dialect, isJson, type Json, type OwnOperation, type PlacedSegment, type StreamEvent } from "#contract";

/** `POST /v1/say`: one text in, one text out; streamed word by word, ended by `data: over`. */
export const SAY: OwnOperation = {
  id: "acme-suite.say",
  method: "POST",
  path: "/say",
  tag: "Acme",
  summary: "Say a text",
  body: "json",
  streams: true,
  scope: "completions.write",
};

const text = (body: unknown, name: string): string => (isJson(body) && typeof body[name] === "string" ? body[name] : "");
const segment = (path: string, role: "user" | "assistant", body: Json): readonly PlacedSegment[] => [
  { path, role, kind: "text", text: text(body, path), message: 0 },
];
export const content = {
  input: (body: Json) => segment("text", "user", body),
  output: (body: Json) => segment("said", "assistant", body),
};

const answer = (body: Json): readonly StreamEvent[] => [
  { type: "start", model: "acme-1" },
  { type: "text", text: text(body, "said") },
  { type: "finish", reason: "stop" },
];
const OVER = "over";
const frame = (value: unknown): string => `data: ${typeof value === "string" ? value : JSON.stringify(value)}\n\n`;

/** How answers of this operation look, whole and streamed. */
export const say: Dialect<null> = {
  id: "acme-say",
  operation: SAY.id,
  decode: {
    start: () => null,
    event({ data }) {
      if (data === OVER) return [{ type: "finish", reason: "stop" }];
      return [{ type: "text", text: text(JSON.parse(data), "word") }];
    },
    ends: ({ data }) => data === OVER,
  },
  read: answer,
  write: ({ choices: [choice], usage }) => ({ said: choice?.text ?? "", words: usage?.output ?? null }),
  judged: {
    body: ({ choices: [choice] }) => ({ said: choice?.text ?? "" }),
    path: () => "said",
    events: (_, body) => answer(body),
  },
  encode: () => ({
    event: (event) => (event.type === "text" ? frame({ word: event.text }) : ""),
    end: () => frame(OVER),
    note: (extra) => frame(extra),
    error: ({ message }) => frame({ error: message }),
  }),
  asksUsage: () => true,
  withUsage: (body) => body,
  isUsageFrame: () => false,
};
