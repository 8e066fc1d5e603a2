import { isJson, type Json } from "#contract";

const SYSTEM: ReadonlySet<unknown> = new Set(["system", "developer"]);

/** A conversation of system messages alone: the vendors want somebody to ask, so these are the question. */
export function withQuestion(body: Json): Json {
  const { messages } = body;
  const isAlone =
    Array.isArray(messages) && messages.length > 0 && messages.every((message) => isJson(message) && SYSTEM.has(message.role));
  return isAlone ? { ...body, messages: messages.map((message: Json) => ({ ...message, role: "user" })) } : body;
}
