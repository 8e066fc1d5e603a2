import { isJson, type Json } from "#contract";

/** For vendors that refuse the member `refusal`: a message that was nothing but one says its text, for it may not be empty. */
export function refusalAsContent(body: Json): Json {
  const messages: unknown = body["messages"];
  if (!Array.isArray(messages) || !messages.some(isRefusal)) return body;
  return {
    ...body,
    messages: messages.map((message: unknown) => (isRefusal(message) ? { ...message, content: message["refusal"] } : message)),
  };
}

const isRefusal = (message: unknown): message is Json =>
  isJson(message) && typeof message["refusal"] === "string" && message["refusal"] !== "" && (message["content"] ?? "") === "";
