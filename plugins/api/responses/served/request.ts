import { GatewayError, type Json, type ServedTo } from "#contract";
import { object, text } from "../../content/wire.ts";
import { refused } from "./refused.ts";
import { toolsOf } from "./tools.ts";
import { turnsOf } from "./turns.ts";

/** Members of the responses form: mapped below, or of no meaning to a chat completion; what is not named travels on. */
// biome-ignore format: a list, several a line
const MEMBERS: ReadonlySet<string> = new Set([
  "input", "instructions", "tools", "tool_choice", "parallel_tool_calls", "text", "reasoning", "max_output_tokens", "top_logprobs", "include",
  "metadata", "store", "truncation", "background", "stream_options", "max_tool_calls", "conversation", "previous_response_id", "prompt",
  "context_management",
]);

/** What only a provider with the API can do: an answer without it would be another answer. */
const OF_THE_API = ["background", "conversation", "prompt", "previous_response_id"] as const;
function refuseOfTheApi(body: Json): void {
  for (const member of OF_THE_API) {
    const value = body[member];
    if (value !== undefined && value !== null && value !== false) throw refused(`The member ${member}`, member);
  }
}

/** A response request as the chat completion that asks the same. */
export function chatRequest(body: Json, to: ServedTo): Json {
  refuseOfTheApi(body);
  const travelling = Object.fromEntries(Object.entries(body).filter(([member]) => !MEMBERS.has(member)));
  return {
    ...travelling,
    messages: messagesOf(body, to),
    ...given("max_completion_tokens", body.max_output_tokens),
    ...toolsOf(body),
    ...formatOf(object(body.text)),
    ...(body.thinking === undefined && given("reasoning_effort", text(object(body.reasoning).effort))),
    ...logprobsOf(body),
  };
}
const given = (member: string, value: unknown): Json => (value === undefined || value === null ? {} : { [member]: value });

function messagesOf({ instructions, input }: Json, to: ServedTo): readonly Json[] {
  const before = text(instructions) === undefined ? [] : [{ role: "system", content: instructions }];
  const messages = [...before, ...turnsOf(input, to)];
  if (messages.length > 0) return messages;
  throw new GatewayError("REQUEST_INVALID", { what: "The member input is missing: say what is to be answered." }, { param: "input" });
}

function formatOf({ format, verbosity }: Json): Json {
  const { type = "text", ...schema } = object(format);
  if (type !== "text" && type !== "json_object" && type !== "json_schema")
    throw refused(`A text format of the type ${String(type)}`, "text");
  return {
    ...(type === "json_object" && { response_format: { type } }),
    ...(type === "json_schema" && { response_format: { type, json_schema: schema } }),
    ...given("verbosity", verbosity),
  };
}

const LOGPROBS = "message.output_text.logprobs";
function logprobsOf({ include, top_logprobs }: Json): Json {
  const isAsked = Array.isArray(include) && include.includes(LOGPROBS);
  return isAsked || Number(top_logprobs) > 0 ? { logprobs: true, ...given("top_logprobs", top_logprobs) } : {};
}
