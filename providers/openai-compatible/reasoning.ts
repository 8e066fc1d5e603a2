import { isJson, type Json } from "#contract";

/** `reasoning_content` as its vendor takes it back: of this turn alone, or of every message by the models of this pattern. */
export function reasoningOfThisTurn(always: string): (body: Json) => Json {
  const wantsAll = new RegExp(always);
  return (body) => {
    const messages: unknown = body["messages"];
    if (!Array.isArray(messages)) return body;
    const kept = wantsAll.test(String(body["model"])) ? messages.map(withReasoning) : withoutEarlier(messages);
    return kept.every((message, index) => message === messages[index]) ? body : { ...body, messages: kept };
  };
}

/** Another vendor's answer has none. */
const withReasoning = (message: unknown): unknown =>
  isJson(message) && message["role"] === "assistant" && typeof message["reasoning_content"] !== "string"
    ? { ...message, reasoning_content: "" }
    : message;

function withoutEarlier(messages: readonly unknown[]): readonly unknown[] {
  const turn = messages.findLastIndex((message) => isJson(message) && message["role"] === "user");
  return messages.map((message, index) => (index < turn && isJson(message) && "reasoning_content" in message ? plain(message) : message));
}
const plain = ({ reasoning_content: _, ...rest }: Json): Json => rest;
