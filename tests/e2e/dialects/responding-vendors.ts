/** Stand-ins for vendors with a Responses API: they refuse items that none of theirs has written. */
import { jsonAnswer, type Received, type Replay } from "../../kit/replay.ts";
import { ANSWERS } from "../responses/stand-ins.ts";

type Json = Readonly<Record<string, unknown>>;

const ITEM_MEMBERS: Readonly<Record<string, readonly string[]>> = {
  message: ["type", "role", "content", "id", "status"],
  function_call: ["type", "id", "call_id", "name", "arguments", "status"],
  function_call_output: ["type", "id", "call_id", "output", "status"],
  reasoning: ["type", "id", "summary", "content", "encrypted_content", "status"],
};
const PREFIXES: Readonly<Record<string, string>> = { message: "msg", function_call: "fc", reasoning: "rs" };

function itemFault(item: Json): string | undefined {
  const type = String(item["type"] ?? "message");
  const stranger = Object.keys(item).find((name) => !ITEM_MEMBERS[type]?.includes(name));
  if (stranger !== undefined) return `Unknown parameter: '${stranger}'.`;
  const prefix = PREFIXES[type] ?? "";
  if (!String(item["id"] ?? prefix).startsWith(prefix)) return `Expected an ID that begins with '${prefix}'.`;
  if (type === "reasoning" && (item["encrypted_content"] ?? "gAAAA") !== "gAAAA") return "The encrypted content could not be verified.";
  return String(item["call_id"] ?? "").length > 64 ? "call_id: string too long" : undefined;
}

export function answerResponse(request: Received): Replay {
  const input = (request.json() as Json)["input"];
  const items = Array.isArray(input) ? (input as readonly Json[]) : [];
  const fault = items.map(itemFault).find((found) => found !== undefined);
  if (fault !== undefined)
    return jsonAnswer({ error: { message: fault, type: "invalid_request_error", param: "input", code: null } }, { status: 400 });
  const answers = items.at(-1)?.["type"] === "function_call_output";
  return ANSWERS.openai(answers ? { text: "Sunny in Oslo." } : { thought: "I look it up.", call: { city: "Oslo" } })(request);
}
