import { isJson, type Json } from "#contract";
import { object } from "../../content/wire.ts";
import { toolChoiceOf, toolsOf } from "../served/tools.ts";

/** The tools, which of them to use, and how many at once: as a chat completion says it, but for what stands one level deeper there. */
export function responseTools(body: Json): Json {
  const tools = toolsOf(body, { mapped: false });
  if (!tools) return {};
  const { tool_choice: choice, ...rest } = toolChoiceOf(body);
  return { tools: tools.map(flat), ...(choice !== undefined && { tool_choice: isJson(choice) ? lifted(choice) : choice }), ...rest };
}
const lifted = ({ type, function: named }: Json): Json => ({ type, ...object(named) });
/** Here every tool is strict that does not say otherwise, and a strict one refuses most schemas. */
const flat = (tool: Json): Json => ({ strict: false, ...lifted(tool) });
