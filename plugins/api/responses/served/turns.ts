import type { Json, ServedTo } from "#contract";
import { objects, text } from "../../content/wire.ts";
import { assistantTurn } from "./assistant-turn.ts";
import { media, type Parts, partsOf, plain, textOf } from "./parts.ts";
import { refused } from "./refused.ts";

type Items = readonly Json[];

/** Which turn of a conversation an item is part of; all items of one answer stand behind each other. */
type Turn = "assistant" | "result" | "image" | "message";
const TURN: Readonly<Record<string, Turn>> = {
  reasoning: "assistant",
  function_call: "assistant",
  custom_tool_call: "assistant",
  // what a provider's own tools did is history: what was said of it stands in the text
  web_search_call: "assistant",
  file_search_call: "assistant",
  code_interpreter_call: "assistant",
  mcp_list_tools: "assistant",
  mcp_call: "assistant",
  function_call_output: "result",
  custom_tool_call_output: "result",
  image_generation_call: "image",
};
function turnOf(item: Json): Turn {
  const type = item.type ?? "message";
  if (type === "message") return item.role === "assistant" ? "assistant" : "message";
  const turn = typeof type === "string" && Object.hasOwn(TURN, type) ? TURN[type] : undefined;
  if (turn === undefined) throw refused(`An input item of the type ${String(type)}`, "input");
  return turn;
}

/** The input of a request -> the chat messages that say the same. */
export function turnsOf(input: unknown, to: ServedTo): readonly Json[] {
  if (typeof input === "string") return [{ role: "user", content: input }];
  const runs: { readonly turn: Turn; readonly items: Json[] }[] = [];
  for (const item of objects(input)) {
    const turn = turnOf(item);
    const last = runs.at(-1);
    if (last?.turn === turn) last.items.push(item);
    else runs.push({ turn, items: [item] });
  }
  return runs.flatMap(({ turn, items }) => TURNS[turn](items, to));
}
const TURNS: { readonly [T in Turn]: (items: Items, to: ServedTo) => readonly Json[] } = {
  assistant: assistantTurn,
  result: resultTurns,
  image: (items) => items.flatMap(imageTurn),
  message: (items) => items.map(messageTurn),
};

const ROLES: Readonly<Record<string, string>> = { developer: "system", system: "system" };
const messageTurn = ({ role, content }: Json): Json => ({ role: ROLES[String(role)] ?? "user", content: plain(partsOf(content)) });

/** An image that a model made earlier: the chat form has no place for it in what an assistant says. */
function imageTurn({ result }: Json): readonly Json[] {
  const image = text(result);
  if (image === undefined) return [];
  const url = image.startsWith("data:") ? image : `data:image/png;base64,${image}`;
  return [
    {
      role: "user",
      content: [
        { type: "text", text: "The image that was made:" },
        { type: "image_url", image_url: { url } },
      ],
    },
  ];
}

/** OpenAI's form has a text alone; images and files of results stand in a user's message behind them all. */
function resultTurns(items: Items, to: ServedTo): readonly Json[] {
  if (to.mapped) return items.map((item) => toolTurn(item, plain(partsOf(item.output ?? ""))));
  const beside = items.flatMap(seenBeside);
  return [...items.map((item) => toolTurn(item, textResult(item))), ...(beside.length > 0 ? [{ role: "user", content: beside }] : [])];
}
const toolTurn = ({ call_id: tool_call_id }: Json, content: unknown): Json => ({ role: "tool", tool_call_id, content });
function textResult({ output }: Json): string {
  const parts = partsOf(output ?? "");
  const content = textOf(parts);
  return content === "" && media(parts).length > 0 ? "The result stands below." : content;
}
function seenBeside({ call_id, output }: Json): Parts {
  const seen = media(partsOf(output ?? ""));
  return seen.length === 0 ? [] : [{ type: "text", text: `The result of the tool call ${String(call_id)}:` }, ...seen];
}
