import { type CheckInput, isJson, type Json } from "#contract";

/** A request, and its answer on the output side, as the operator's own services are sent them. */
export function payloadOf({ side, text, call }: Pick<CheckInput<unknown>, "side" | "text" | "call">): Json {
  const input = side === "input";
  return {
    request: {
      json: call.request ?? {},
      text: input ? text : lastText(call.request),
      isStreamingRequest: call.streamed,
      isTransformed: false,
      ...call.passing,
    },
    response: input
      ? { json: {}, text: "", statusCode: null, isTransformed: false }
      : { json: call.response ?? {}, text, statusCode: call.status, isTransformed: false },
    provider: call.provider,
    requestType: call.requestType,
    metadata: call.metadata,
    eventType: input ? "beforeRequestHook" : "afterRequestHook",
  };
}

/** The request's text as the output side knows it: its prompt, its input, or its last message. */
function lastText(request: Json | null): string {
  const { prompt, input, messages } = request ?? {};
  const last: unknown = prompt ?? input ?? (Array.isArray(messages) ? messages.at(-1) : undefined);
  const content = isJson(last) ? last["content"] : last;
  const parts: readonly unknown[] = Array.isArray(content) ? content : [content];
  return parts
    .map((part) => (isJson(part) ? part["text"] : part))
    .filter((text) => typeof text === "string")
    .join("\n");
}
