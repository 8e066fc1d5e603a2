import { type Collected, type Dialect, type EncodeOptions, type Encoder, isJson, type Json, type StreamEvent } from "#contract";

/* As much of the Responses form as a conversation with texts and tools needs. */

const objects = (value: unknown): readonly Json[] => (Array.isArray(value) ? value.filter(isJson) : []);
const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : objects(content)
        .map(({ text }) => text)
        .join("");

function messageOf(item: Json): Json {
  if (item.type === "function_call_output") return { role: "tool", tool_call_id: item.call_id, content: item.output };
  if (item.type !== "function_call") return { role: item.role, content: textOf(item.content) };
  const call = { id: item.call_id, type: "function", function: { name: item.name, arguments: item.arguments } };
  return { role: "assistant", content: null, tool_calls: [call] };
}
const chatRequest = ({ model, stream, input }: Json): Json => ({
  model,
  ...(stream === true && { stream }),
  messages: typeof input === "string" ? [{ role: "user", content: input }] : objects(input).map(messageOf),
});

interface FoldedAnswer {
  text: string;
  readonly calls: Map<number, { id: string; name: string; arguments: string }>;
}
function add(said: FoldedAnswer, event: StreamEvent): void {
  if (event.type === "text") said.text += event.text;
  if (event.type !== "tool") return;
  const { index, id = "", name = "", arguments: piece = "" } = event;
  const call = said.calls.get(index) ?? { id: "", name: "", arguments: "" };
  said.calls.set(index, { id: call.id + id, name: call.name + name, arguments: call.arguments + piece });
}

function responseOf({ text, calls }: FoldedAnswer, { id, model, created, echo }: EncodeOptions): Json {
  const seed = id.replaceAll("-", "");
  const message = { id: `msg_${seed}`, type: "message", role: "assistant", status: "completed" };
  return {
    id: `resp_gw_${seed}`,
    object: "response",
    created_at: created,
    status: "completed",
    model,
    previous_response_id: null,
    ...echo,
    output: [
      ...(text === "" ? [] : [{ ...message, content: [{ type: "output_text", text, annotations: [] }] }]),
      ...[...calls.values()].map((call, at) => ({
        ...{ id: `fc_${seed}${at}`, type: "function_call", status: "completed" },
        ...{ call_id: call.id, name: call.name, arguments: call.arguments },
      })),
    ],
  };
}
const frame = (type: string, data: Json): string => `event: ${type}\ndata: ${JSON.stringify({ type, ...data })}\n\n`;

function encoder(options: EncodeOptions): Encoder {
  const said: FoldedAnswer = { text: "", calls: new Map() };
  return {
    event(event) {
      add(said, event);
      return event.type === "text" ? frame("response.output_text.delta", { delta: event.text }) : "";
    },
    end: () => frame("response.completed", { response: responseOf(said, options) }),
    note: (extra) => frame("hook_results", extra),
    error: (error) => frame("error", { ...error }),
  };
}

const whole = ({ choices }: Collected): FoldedAnswer => {
  const { text = "", tools = [] } = choices[0] ?? {};
  return { text, calls: new Map(tools.map((call, index) => [index, call])) };
};

export const answers: Dialect<null> = {
  id: "responses",
  operation: "createModelResponse",
  served: { by: "chatComplete", request: chatRequest },
  decode: { start: () => null, event: () => [] },
  read: () => [],
  write: (answer, options) => responseOf(whole(answer), options),
  judged: {
    body: (answer) => ({ output: [{ type: "message", role: "assistant", content: [{ type: "output_text", text: whole(answer).text }] }] }),
    path: () => "output[0].content[0].text",
    events: (_, body) => [
      { type: "start" },
      { type: "text", text: textOf(objects(body.output)[0]?.content) },
      { type: "finish", reason: "stop" },
    ],
  },
  encode: encoder,
  asksUsage: () => false,
  withUsage: (body) => body,
  isUsageFrame: () => false,
};
