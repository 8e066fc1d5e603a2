import { isJson, type Json } from "#contract";

/** What a client may say where guardrails read it: all of its content is in `content.ts`, or it has none but sound. */
const CLIENT_EVENTS: ReadonlySet<unknown> = new Set([
  "session.update",
  "transcription_session.update",
  "input_audio_buffer.append",
  "input_audio_buffer.commit",
  "input_audio_buffer.clear",
  "output_audio_buffer.clear",
  "conversation.item.create",
  "conversation.item.retrieve",
  "conversation.item.truncate",
  "conversation.item.delete",
  "response.create",
  "response.cancel",
]);
export const isKnown = ({ type }: Json): boolean => CLIENT_EVENTS.has(type);

export const CREATED = "response.created";
export const DONE = "response.done";
export const mayBoundAnswer = (text: string): boolean => text.includes(DONE) || text.includes(CREATED);

/** The response an event belongs to. */
export function answer({ type, response_id: id, response }: Json): { readonly id: string; readonly ends?: true } | undefined {
  if (typeof type !== "string" || !type.startsWith("response.")) return undefined;
  const named = typeof id === "string" ? id : isJson(response) ? response["id"] : undefined;
  if (typeof named !== "string") return undefined;
  return type === DONE ? { id: named, ends: true } : { id: named };
}

/** Names of a type stand in front, where anybody writes them. */
const HEAD = 400;
const MEDIA = /"type"\s*:\s*"(input_audio_buffer\.append|response\.(output_)?audio\.delta)"/;
export const isMedia = (text: string): boolean => MEDIA.test(text.slice(0, HEAD));

export const AUDIO: ReadonlySet<unknown> = new Set(["response.audio.delta", "response.output_audio.delta"]);
