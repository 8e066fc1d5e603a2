import { GatewayError, isJson, type Json } from "#contract";

/** `tool_choice` of type `allowed_tools`: the tools it leaves out are not offered, and its mode is the choice. */
export function withAllowedTools(body: Json): Json {
  const { tool_choice: choice, tools } = body;
  if (!isJson(choice) || choice.type !== "allowed_tools") return body;
  const { mode, tools: allowed } = isJson(choice.allowed_tools) ? choice.allowed_tools : choice;
  const names = new Set((Array.isArray(allowed) ? allowed : []).filter(isJson).map(nameOf));
  const offered = (Array.isArray(tools) ? tools : []).filter((tool) => isJson(tool) && names.has(nameOf(tool)));
  if (offered.length === 0) {
    throw new GatewayError(
      "REQUEST_INVALID",
      { what: "The allowed_tools of tool_choice name none of the tools." },
      { param: "tool_choice" },
    );
  }
  return { ...body, tools: offered, tool_choice: mode === "required" ? "required" : "auto" };
}
/** A function by its name, another tool by its type. */
const nameOf = (tool: Json): unknown => (isJson(tool.function) ? tool.function.name : (tool.name ?? tool.type));
