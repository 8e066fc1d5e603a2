import { isJson, type Json } from "#contract";
import { objects } from "../../content/wire.ts";

/** The `input` of a request as items: a text is a message of the user's. */
export function itemsOf(input: unknown): readonly Json[] {
  if (typeof input !== "string") return objects(input);
  return [{ type: "message", role: "user", content: [{ type: "input_text", text: input }] }];
}

/** As a list of items shows them: each with a type and an id (another one than an answer's items have), its text in parts. */
export const shownItems = (input: readonly Json[], responseId: string): readonly Json[] =>
  input.map((item, at) => shown(item, `in_${responseId.slice("resp_gw_".length)}${String(at).padStart(4, "0")}`));

function shown(item: Json, seed: string): Json {
  const type = typeof item.type === "string" ? item.type : "message";
  const id = typeof item.id === "string" ? item.id : `${PREFIX[type] ?? "item"}_${seed}`;
  if (type !== "message") return { ...item, id };
  return { status: "completed", ...item, type, id, content: parts(item) };
}
const PREFIX: Readonly<Record<string, string>> = {
  message: "msg",
  function_call: "fc",
  function_call_output: "fco",
  custom_tool_call: "ctc",
  custom_tool_call_output: "ctco",
  reasoning: "rs",
};
function parts({ role, content }: Json): unknown {
  if (typeof content !== "string") return content;
  return role === "assistant" ? [{ type: "output_text", text: content, annotations: [] }] : [{ type: "input_text", text: content }];
}

/**
 * An item of an earlier answer as input of the next request. Its id is one that no provider knows; a thought keeps its own,
 * without which it is not taken.
 */
export function carried(item: Json): Json {
  if (!isJson(item) || item.type === "reasoning") return item;
  const { id: _, status: __, ...rest } = item;
  return rest;
}
