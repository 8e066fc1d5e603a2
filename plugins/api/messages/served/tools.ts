import type { Json, ServedTo } from "#contract";
import { entry, objects } from "../../content/wire.ts";
import { cacheOf, refused } from "./blocks.ts";

/** The client's own tools as functions. A tool that a vendor runs, or knows by its type, nobody else has. */
export function toolsOf({ tools }: Json, to: ServedTo): readonly Json[] | undefined {
  const list = objects(tools).map((tool) => ({ ...functionTool(tool), ...cacheOf(tool, to) }));
  return list.length > 0 ? list : undefined;
}
function functionTool({ type, name, description, input_schema, strict }: Json): Json {
  if (typeof type === "string" && type !== "custom") throw refused(`A tool of the type ${type}`, "tools");
  const described = typeof description === "string" ? { description } : {};
  return {
    type: "function",
    function: {
      name,
      ...described,
      parameters: input_schema ?? { type: "object", properties: {} },
      ...(typeof strict === "boolean" && { strict }),
    },
  };
}

type Choice = Readonly<{ type?: unknown; name?: unknown; disable_parallel_tool_use?: unknown }>;
const CHOICES: Readonly<Record<string, (choice: Choice) => unknown>> = {
  auto: () => "auto",
  any: () => "required",
  none: () => "none",
  tool: ({ name }) => ({ type: "function", function: { name } }),
};
/** A choice without tools is refused by most vendors, and chooses nothing. */
export function toolChoiceOf({ tools, tool_choice: choice }: Json): Json {
  if (choice === undefined || choice === null || objects(tools).length === 0) return {};
  const asked = choice as Choice; // an object, by the operation's schema
  const map = entry(CHOICES, asked.type);
  if (!map) throw refused(`A tool choice of the type ${String(asked.type)}`, "tool_choice");
  return { tool_choice: map(asked), ...(asked.disable_parallel_tool_use === true && { parallel_tool_calls: false }) };
}
