import { isJson, type Json } from "#contract";

/* Where a request's own dialect has its messages, and how a text is put before one of them. */

export type Role = "user" | "system" | "assistant";
export interface Prefix {
  readonly text: string;
  readonly role: Role;
  /** Into the message that is there; else as one of its own before it. */
  readonly intoExisting: boolean;
  /** Only where the message that is there says nothing. */
  readonly onlyIfEmpty: boolean;
}

/** The body with the prefix; the same object where nothing is to be done. */
export type Prefixed = (body: Json, prefix: Prefix) => Json;

/** How messages of a dialect are written. */
interface Form {
  /** The member with the list of messages. */
  readonly list: string;
  /** A message's member with its content. */
  readonly content: string;
  /** Roles as they are written, the first one for a new message. */
  readonly roles: Readonly<Record<Role, readonly string[]>>;
  make(role: string, text: string): Json;
  /** A text as a part of content. */
  part(text: string, role: Role): Json;
}

const PLAIN_ROLES = { user: ["user"], system: ["system", "developer"], assistant: ["assistant"] } as const;
const said = (role: string, content: string): Json => ({ role, content });
const CHAT: Form = { list: "messages", content: "content", roles: PLAIN_ROLES, make: said, part: (text) => ({ type: "text", text }) };
const ITEMS: Form = {
  ...CHAT,
  list: "input",
  part: (text, role) => ({ type: role === "assistant" ? "output_text" : "input_text", text }),
};
const CONTENTS: Form = {
  list: "contents",
  content: "parts",
  roles: { user: ["user"], system: [], assistant: ["model"] },
  make: (role, text) => ({ role, parts: [{ text }] }),
  part: (text) => ({ text }),
};

/** By the request type that has them. */
export const PREFIXED = {
  complete: (body, prefix) => inMember(body, "prompt", prefix),
  chatComplete: (body, prefix) => inMessages(body, CHAT, prefix),
  messages: (body, prefix) => (prefix.role === "system" ? inMember(body, "system", prefix, CHAT) : inMessages(body, CHAT, prefix)),
  createModelResponse: (body, prefix) => {
    if (prefix.role === "system") return inMember(body, "instructions", prefix);
    return Array.isArray(body["input"]) || prefix.role === "assistant"
      ? inMessages(asItems(body), ITEMS, prefix)
      : inMember(body, "input", prefix);
  },
  generateContent: inGemini,
  streamGenerateContent: inGemini,
} as const satisfies Record<string, Prefixed>;

const asItems = (body: Json): Json => (typeof body["input"] === "string" ? { ...body, input: [said("user", body["input"])] } : body);

function inGemini(body: Json, prefix: Prefix): Json {
  if (prefix.role !== "system") return inMessages(body, CONTENTS, prefix);
  const name = body["system_instruction"] === undefined ? "systemInstruction" : "system_instruction";
  const instruction = isJson(body[name]) ? body[name] : { parts: [] };
  const after = inMember(instruction, "parts", prefix, CONTENTS);
  return after === instruction ? body : { ...body, [name]: after };
}

/* ── in one member ───────────────────────────────────────────────────────────────────────────────────────────── */

/** A member that is a text, or a list of parts or texts. What is not there is made. */
function inMember(body: Json, name: string, prefix: Prefix, form: Form = CHAT): Json {
  const before = body[name];
  if (prefix.onlyIfEmpty && !isEmpty(before)) return body;
  return { ...body, [name]: withText(before, prefix, form) };
}

/** A text before content: in front of its first text, or as one of its own where that is wanted. */
function withText(content: unknown, { text, role, intoExisting }: Prefix, form: Form): unknown {
  if (typeof content === "string") return text + content;
  if (!Array.isArray(content)) return text;
  const at = content.findIndex((part: unknown) => typeof part === "string" || textIn(part) !== undefined);
  if (!intoExisting || at < 0) return [...content.slice(0, results(content)), form.part(text, role), ...content.slice(results(content))];
  const part: unknown = content[at];
  const changed = isJson(part) ? { ...part, text: text + (textIn(part) ?? "") } : text + String(part);
  return content.with(at, changed);
}
const textIn = (part: unknown): string | undefined =>
  isJson(part) && typeof part["text"] === "string" && part["thought"] !== true ? part["text"] : undefined;
/** Results of tools stand before everything else that a user says. */
const results = (content: readonly unknown[]): number =>
  content.findLastIndex((part) => isJson(part) && part["type"] === "tool_result") + 1;

const isEmpty = (content: unknown): boolean =>
  typeof content === "string"
    ? content.trim() === ""
    : !Array.isArray(content) ||
      content.every(
        (part: unknown) =>
          (typeof part === "string" ? part : (textIn(part) ?? (isJson(part) && !("text" in part) ? "media" : ""))).trim() === "",
      );

/* ── in a list of messages ───────────────────────────────────────────────────────────────────────────────────── */

/** The first message of the role; where there is none a new one is made, the system's before all others. */
function inMessages(body: Json, form: Form, prefix: Prefix): Json {
  const { list, content, roles } = form;
  const messages: readonly unknown[] = Array.isArray(body[list]) ? body[list] : [];
  const named = roles[prefix.role];
  const at = messages.findIndex((message) => isJson(message) && isOf(message, prefix.role, named));
  const made = form.make(named[0] ?? prefix.role, prefix.text);
  if (at < 0) return { ...body, [list]: prefix.role === "system" ? [made, ...messages] : [...messages, made] };
  const message = messages[at] as Json; // found by its members
  if (prefix.onlyIfEmpty && !isEmpty(message[content])) return body;
  if (!prefix.intoExisting) return { ...body, [list]: messages.toSpliced(at, 0, made) };
  return { ...body, [list]: messages.with(at, { ...message, [content]: withText(message[content], prefix, form) }) };
}
/** A content of Gemini's without a role is the user's; an item of a response that is no message has none. */
const isOf = ({ role, parts }: Json, wanted: Role, named: readonly string[]): boolean =>
  typeof role === "string" ? named.includes(role) : wanted === "user" && Array.isArray(parts);
