import { isJson, type Json, type ServedTo } from "#contract";
import { object, objects, text } from "../../content/wire.ts";
import { refused } from "./blocks.ts";
import { isStrict } from "./strict.ts";
import { toolChoiceOf, toolsOf } from "./tools.ts";
import { systemTurn, turnsOf } from "./turns.ts";

/** Members of the messages form: mapped below, or without meaning to others (data-plane sheet 7.11); what is not named travels on. */
// biome-ignore format: a list, several a line
const MEMBERS: ReadonlySet<string> = new Set([
  "messages", "system", "max_tokens", "stop_sequences", "tools", "tool_choice", "metadata", "output_config", "output_format",
  "thinking", "top_k", "cache_control", "container", "mcp_servers", "service_tier", "anthropic_beta", "betas", "speed",
  "context_management", "inference_geo", "task_budget", "fallbacks",
]);

/** What of a message request travels on as it is. */
export const travelling = (body: Json): Json => Object.fromEntries(Object.entries(body).filter(([member]) => !MEMBERS.has(member)));

/** A message request as the chat completion that asks the same. */
export function chatRequest(body: Json, to: ServedTo): Json {
  const tools = toolsOf(body, to);
  return {
    ...travelling(body),
    messages: [...systemTurn(body.system, to), ...objects(body.messages).flatMap((message) => turnsOf(message, to))],
    ...given("max_completion_tokens", body.max_tokens),
    ...given("stop", someOf(body.stop_sequences)),
    ...(tools && { tools }),
    ...toolChoiceOf(body),
    ...given("user", object(body.metadata).user_id),
    ...given("response_format", formatOf(body)),
    ...given("reasoning_effort", text(object(body.output_config).effort)),
    ...(to.mapped && { ...given("thinking", body.thinking), ...given("top_k", body.top_k) }),
  };
}
/** An empty list says nothing, and some vendors refuse it. */
const someOf = (list: unknown): unknown => (Array.isArray(list) && list.length === 0 ? undefined : list);
export const given = (member: string, value: unknown): Json => (value === undefined || value === null ? {} : { [member]: value });

/** The form that the answer is to have, as a chat completion is asked for it. */
export function formatOf({ output_config, output_format }: Json): Json | undefined {
  const format = object(output_config).format ?? output_format;
  if (!isJson(format)) return undefined;
  if (format.type !== "json_schema") throw refused(`An output format of the type ${String(format.type)}`, "output_config");
  const schema = object(format.schema);
  return { type: "json_schema", json_schema: { name: "answer", schema, ...(isStrict(schema) && { strict: true }) } };
}
