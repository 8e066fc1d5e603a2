import { type CheckInput, isJson, type Json, parseJson, questionOf, type Segment } from "#contract";

/** What was asked, and what the model says and calls. */
export const conversation = ({ segments, call }: Pick<CheckInput<unknown>, "segments" | "call">): readonly Json[] => {
  const texts = segments.filter(({ kind }) => kind === "text").map(({ text }) => text);
  const calls = segments.filter(({ kind }) => kind === "tool_call").map(calledIn);
  return [
    { role: "user", content: questionOf(call.request) },
    { role: "assistant", content: texts.join("\n"), ...(calls.length > 0 && { tool_calls: calls }) },
  ];
};

/** A call, as every dialect's is given to checks: its name and its arguments. */
function calledIn({ text }: Segment, index: number): Json {
  const called = jsonIn(text);
  const { name, arguments: given } = isJson(called) ? called : { arguments: text };
  return {
    id: `call_${index}`,
    type: "function",
    function: { name, arguments: typeof given === "string" ? (jsonIn(given) ?? given) : given },
  };
}
/** What is no JSON is judged as it stands. */
function jsonIn(text: string): unknown {
  try {
    return parseJson(text);
  } catch {
    return undefined;
  }
}

/** The functions that the model may call, in the form of any dialect that lists them; `undefined` where there is none. */
export function toolsIn(request: Json | null): readonly Json[] | undefined {
  const tools: unknown = request?.["tools"];
  const functions = Array.isArray(tools) ? tools.flatMap((tool: unknown) => (isJson(tool) ? functionIn(tool) : [])) : [];
  return functions.length > 0 ? functions : undefined;
}
function functionIn(tool: Json): readonly Json[] {
  const of = isJson(tool["function"]) ? tool["function"] : tool;
  if (typeof of["name"] !== "string") return [];
  return [{ name: of["name"], description: of["description"], parameters: of["parameters"] ?? of["input_schema"] }];
}
