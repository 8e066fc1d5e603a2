import { isJson, type Json } from "#contract";
import { messages, textOf } from "./message.ts";
import { Refusal } from "./refusal.ts";
import { MAX_SAID, type Scenario } from "./scenario.ts";

interface Called {
  readonly name: string;
  readonly arguments: Json;
}

/** The tool the model decides to call, if any. */
export function calledTool(body: Json, scenario: Scenario): Called | undefined {
  const tools = functionsOf(body);
  if (scenario.tool)
    return { name: scenario.tool.name, arguments: short(scenario.tool.arguments) ?? filled(tools.get(scenario.tool.name)) };
  if (tools.size === 0 || body["tool_choice"] === "none" || messages(body).at(-1)?.["role"] === "tool") return undefined;
  const named = askedInWords(body, tools);
  if (named) return named;
  const name = chosen(body, tools);
  return name === undefined ? undefined : { name, arguments: filled(tools.get(name)) };
}

/** Arguments, refused where they hold more than an answer may. */
function short(given: Json | undefined): Json | undefined {
  const left: unknown[] = [given];
  for (let chars = 0; left.length > 0; chars += 1) {
    const value = left.pop();
    if (typeof value === "string") chars += value.length;
    else if (typeof value === "object" && value !== null) for (const inside of Object.values(value)) left.push(inside);
    if (chars > MAX_SAID)
      throw new Refusal(400, { message: `sandbox.tool.arguments: more than ${MAX_SAID} characters.`, param: "sandbox" });
  }
  return given;
}

/** Function name -> its parameter schema. */
function functionsOf(body: Json): ReadonlyMap<string, Json> {
  const tools = Array.isArray(body["tools"]) ? body["tools"] : [];
  return new Map(
    tools.flatMap((tool: unknown) => {
      const fn = isJson(tool) && isJson(tool["function"]) ? tool["function"] : {};
      return typeof fn["name"] === "string" ? [[fn["name"], isJson(fn["parameters"]) ? fn["parameters"] : {}] as const] : [];
    }),
  );
}

/** `tool_choice` names one or requires any; the model sandbox-tool always calls the first. */
function chosen(body: Json, tools: ReadonlyMap<string, Json>): string | undefined {
  const choice = body["tool_choice"];
  const named = isJson(choice) && isJson(choice["function"]) ? choice["function"]["name"] : undefined;
  if (typeof named === "string") return named;
  return choice === "required" || body["model"] === "sandbox-tool" ? tools.keys().next().value : undefined;
}

/** The last user message says `call weather` or `call weather {"city":"Oslo"}`. */
function askedInWords(body: Json, tools: ReadonlyMap<string, Json>): Called | undefined {
  const prompt = textOf(messages(body).findLast((message) => message["role"] === "user") ?? {}).slice(0, SEARCHED);
  const [, name, json] = /\bcall\s+([\w-]+)\s*(\{.*\})?/is.exec(prompt) ?? [];
  const schema = name === undefined ? undefined : tools.get(name);
  if (name === undefined || schema === undefined) return undefined;
  return { name, arguments: given(json) ?? filled(schema) };
}

/** Who wants a tool says so soon. */
const SEARCHED = 64 * 1024;

function given(json: string | undefined): Json | undefined {
  if (json === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(json);
    return isJson(value) ? value : undefined;
  } catch {
    return undefined; // words that only look like arguments
  }
}

const EXAMPLE: Readonly<Record<string, unknown>> = {
  string: "text",
  integer: 1,
  number: 1.5,
  boolean: true,
  array: [],
  object: {},
  null: null,
};

/** The required properties of a schema, each with an example of its type. */
function filled(schema: Json | undefined): Json {
  const properties = isJson(schema?.["properties"]) ? schema["properties"] : {};
  const required = Array.isArray(schema?.["required"]) ? schema["required"].map(String) : [];
  return Object.fromEntries(required.map((name) => [name, example(properties[name])]));
}

function example(property: unknown): unknown {
  if (!isJson(property)) return EXAMPLE["string"];
  if (Array.isArray(property["enum"]) && property["enum"].length > 0) return property["enum"][0];
  return property["const"] ?? property["default"] ?? EXAMPLE[String(property["type"])] ?? EXAMPLE["string"];
}
