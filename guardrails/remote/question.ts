import { type CheckInput, CheckFault, isJson, type Json } from "#contract";
import type { Question } from "./schema.ts";

/** What of a request a service may be sent. */
export const PARTS = ["text", "segments", "context", "request", "response"] as const;
export type QuestionPart = (typeof PARTS)[number];

type Asking = Pick<CheckInput<unknown>, "side" | "text" | "segments" | "call">;

/** The parts that are wanted, each made when it is. */
const MADE: { readonly [P in QuestionPart]: (input: Asking) => Question[P] } = {
  text: ({ text }) => text,
  segments: ({ segments }) => segments.map(({ path, role, kind, text }) => ({ path, role, kind, text })),
  context: ({ call }) => ({
    request_type: call.requestType,
    provider: call.provider,
    model: call.model,
    trace_id: call.traceId,
    metadata: { ...call.metadata },
    streamed: call.streamed,
    status: call.status,
  }),
  request: ({ call }) => call.request,
  response: ({ call }) => call.response,
};

/** A question is signed and written in one go: a longer one would keep everybody else waiting. */
const MAX_QUESTION_CHARS = 4_000_000;

/** The question, as JSON. Throws where it would be too long. */
export function questionText(id: string, input: Asking, send: readonly QuestionPart[], parameters: Json | undefined, who: string): string {
  const parts = Object.fromEntries(send.map((part) => [part, MADE[part](input)]));
  if (roomBeside(parts, MAX_QUESTION_CHARS) < 0)
    throw new CheckFault("budget", `${who}: what would be sent has more than ${MAX_QUESTION_CHARS} characters; let \`send\` name less`);
  const question = { version: "1", id, side: input.side, ...parts, ...(parameters && { parameters }) };
  return JSON.stringify(question);
}

/** How much of `room` is left beside this; less than 0 when it is too small, and the rest is not looked at. */
function roomBeside(value: unknown, room: number): number {
  if (typeof value === "string") return room - value.length;
  if (!Array.isArray(value) && !isJson(value)) return room - 8;
  let left = room - 2;
  for (const [name, member] of Object.entries(value)) {
    left = roomBeside(member, left - name.length - 4);
    if (left < 0) break;
  }
  return left;
}
