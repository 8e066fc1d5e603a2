import { isJson, type Json } from "#contract";
import { entry, object, objects, text } from "../../content/wire.ts";
import { CUSTOM_INPUT } from "../output/call-item.ts";
import { refused } from "./refused.ts";

/** The client's own tools as functions. A tool that a vendor runs, or knows by its type, nobody else has. */
const FROM_TOOL: Readonly<Record<string, (tool: Json) => Json>> = {
  function: ({ name, description, parameters, strict }) => ({
    name,
    ...(text(description) && { description }),
    parameters: isJson(parameters) ? parameters : { type: "object", properties: {} },
    ...(typeof strict === "boolean" && { strict }),
  }),
  custom: ({ name, description, format }) => {
    if (object(format).type === "grammar") throw refused("A custom tool with a grammar", "tools");
    return { name, ...(text(description) && { description }), parameters: TEXT_ALONE };
  },
};
/** A custom tool takes a text. */
const TEXT_ALONE: Json = {
  type: "object",
  properties: { [CUSTOM_INPUT]: { type: "string", description: "The whole input of the tool, as plain text." } },
  required: [CUSTOM_INPUT],
  additionalProperties: false,
};

function functionTool(tool: Json): Json {
  const map = entry(FROM_TOOL, tool.type);
  if (!map) throw refused(`A tool of the type ${String(tool.type)}`, "tools");
  return { type: "function", function: map(tool) };
}

const NAMED = (name: unknown): unknown => ({ type: "function", function: { name } });
const CHOICES: Readonly<Record<string, (choice: Json) => unknown>> = {
  function: ({ name }) => NAMED(name),
  custom: ({ name }) => NAMED(name),
  allowed_tools: ({ mode }) => (mode === "required" ? "required" : "auto"),
};

/** The tools, which of them to use, and how many at once. A choice without tools is refused by most vendors, and chooses nothing. */
export function toolsOf({ tools, tool_choice: choice, parallel_tool_calls: parallel }: Json): Json {
  const list = allowed(objects(tools), choice).map(functionTool);
  if (list.length === 0) return {};
  return {
    tools: list,
    ...(choice !== undefined && choice !== null && { tool_choice: choiceOf(choice) }),
    ...(typeof parallel === "boolean" && { parallel_tool_calls: parallel }),
  };
}
function choiceOf(choice: unknown): unknown {
  if (!isJson(choice)) return choice; // `auto`, `none` or `required`, by the operation's schema
  const map = entry(CHOICES, choice.type);
  if (!map) throw refused(`A tool choice of the type ${String(choice.type)}`, "tool_choice");
  return map(choice);
}
/** Where some of the tools are allowed, the others are not shown to the model. */
function allowed(tools: readonly Json[], choice: unknown): readonly Json[] {
  if (!isJson(choice) || choice.type !== "allowed_tools") return tools;
  const names = new Set(objects(choice.tools).map(({ name }) => name));
  return tools.filter(({ name }) => names.has(name));
}
