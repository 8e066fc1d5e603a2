import { isJson, type Json } from "#contract";
import { entry, named, namedAll, text } from "../wire.ts";
import { refused } from "./refused.ts";
import { jsonSchema } from "./schema.ts";

/** The client's own functions, and which of them may be called. A tool that Google runs, nobody else has. */
export function toolMembers({ tools, toolConfig }: Json): Json {
  const declared = namedAll(tools).flatMap(functionsOf);
  if (declared.length === 0) return {};
  const { mode, allowedFunctionNames } = named(named(toolConfig).functionCallingConfig);
  const names = new Set<unknown>(Array.isArray(allowedFunctionNames) ? allowedFunctionNames : []);
  const allowed = names.size === 0 ? declared : declared.filter(({ name }) => names.has(name));
  const choice = mode === "ANY" && allowed.length === 1 ? { type: "function", function: { name: allowed[0]?.name } } : choiceOf(mode);
  return {
    tools: allowed.map((declaration) => ({ type: "function", function: declaration })),
    ...(choice !== undefined && { tool_choice: choice }),
  };
}

function functionsOf(tool: Json): readonly Json[] {
  const other = Object.keys(tool).find((member) => member !== "functionDeclarations" && tool[member] !== null);
  if (other !== undefined) throw refused(`The tool ${other}`, "tools");
  return namedAll(tool.functionDeclarations).map(declarationOf);
}
function declarationOf({ name, description, parameters, parametersJsonSchema: schema }: Json): Json {
  const described = text(description) === undefined ? {} : { description };
  if (isJson(schema)) return { name, ...described, parameters: schema };
  return { name, ...described, parameters: isJson(parameters) ? jsonSchema(parameters) : { type: "object", properties: {} } };
}

const CHOICES: Readonly<Record<string, string | undefined>> = {
  MODE_UNSPECIFIED: undefined,
  AUTO: "auto",
  VALIDATED: "auto",
  ANY: "required",
  NONE: "none",
};
function choiceOf(mode: unknown): string | undefined {
  if (mode === undefined || mode === null) return undefined;
  if (!Object.hasOwn(CHOICES, String(mode))) throw refused(`The function calling mode ${String(mode)}`, "toolConfig");
  return entry(CHOICES, mode);
}
