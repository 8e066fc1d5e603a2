import { isJson, type Json } from "./json.ts";
import type { RequestType } from "./operation.ts";
import { textOfContent } from "./question.ts";

/* What the model is told beside the conversation, in whichever member the dialect of a request has it. */

const ROLES: readonly unknown[] = ["system", "developer"];
const isSystem = (message: unknown): message is Json => isJson(message) && ROLES.includes(message["role"]);
const messagesIn = ({ messages }: Json): readonly unknown[] => (Array.isArray(messages) ? messages : []);

/** All of it; empty where there is none. */
export function systemTextOf(request: Json | null): string {
  const { system, instructions } = request ?? {};
  const messages = messagesIn(request ?? {}).filter(isSystem);
  const texts = [...messages.map(({ content }) => content), system, instructions].map(textOfContent);
  return texts.filter((text) => text !== "").join("\n");
}

/** How a text is added, by the type of the request. */
const ADDED = {
  chatComplete: inMessages,
  messages: (body, text) => ({ ...body, system: behind(body["system"], text) }),
  createModelResponse: (body, text) => ({ ...body, instructions: behind(body["instructions"], text) }),
  complete: (body, text) => ({ ...body, prompt: beforePrompt(body["prompt"], text) }),
} as const satisfies Partial<Record<RequestType, (body: Json, text: string) => Json>>;

/** Requests that can be told more. */
export const TOLD_TYPES = Object.keys(ADDED) as readonly (keyof typeof ADDED)[];

/** The body with a text behind what the model is told already; a completion, which has no place for that, begins with it. */
export const withSystemText = (body: Json, type: RequestType, text: string): Json =>
  Object.hasOwn(ADDED, type) ? ADDED[type as keyof typeof ADDED](body, text) : body; // the line before asks

function inMessages(body: Json, text: string): Json {
  const messages = messagesIn(body);
  const at = messages.findIndex(isSystem);
  const message = messages[at];
  if (!isSystem(message)) return { ...body, messages: [{ role: "system", content: text }, ...messages] };
  return { ...body, messages: messages.with(at, { ...message, content: behind(message["content"], text) }) };
}
function behind(content: unknown, text: string): unknown {
  if (typeof content === "string") return content + text;
  return Array.isArray(content) ? [...content, { type: "text", text }] : text;
}
/** A list is as many prompts; one of tokens stays as it is. */
const beforePrompt = (prompt: unknown, text: string): unknown =>
  Array.isArray(prompt)
    ? prompt.map((of: unknown) => (typeof of === "string" ? text + of : of))
    : typeof prompt === "string"
      ? text + prompt
      : prompt;
