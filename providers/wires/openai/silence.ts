import { isJson, type Json } from "#contract";

/** What may stand beside a silence: it says nothing itself. */
const QUIET: ReadonlySet<string> = new Set(["role", "content", "name", "annotations"]);

/** Leaves out messages of an assistant who neither said nor called anything: vendors refuse them. The same object where there are none. */
export function withoutSilence(body: Json): Json {
  const messages: unknown = body["messages"];
  if (!Array.isArray(messages) || !messages.some(isSilent)) return body;
  return { ...body, messages: messages.filter((message) => !isSilent(message)) };
}

const isSilent = (message: unknown): boolean =>
  isJson(message) &&
  message["role"] === "assistant" &&
  isNothing(message["content"]) &&
  Object.entries(message).every(([member, value]) => QUIET.has(member) || isNothing(value));
const isNothing = (value: unknown): boolean =>
  value === undefined || value === null || value === "" || (Array.isArray(value) && value.length === 0);
