import { isJson, type Json } from "#contract";
import { PIECES } from "./events.ts";

interface Said {
  readonly item: string;
  readonly part: number;
  readonly kind: "text" | "transcript" | "arguments";
  text: string;
}

/** What the pieces of a response said, by item and part. */
function saidBy(messages: readonly Json[]): readonly Said[] {
  const said = new Map<string, Said>();
  for (const { type, item_id: item, content_index: part, delta } of messages) {
    const kind = PIECES[String(type)];
    if (kind === undefined || typeof delta !== "string") continue;
    const key = `${String(item)} ${Number(part ?? 0)} ${kind}`;
    const before = said.get(key) ?? { item: String(item), part: Number(part ?? 0), kind, text: "" };
    before.text += delta;
    said.set(key, before);
  }
  return [...said.values()];
}

/** `response.done`, which repeats its items; what a provider leaves out there is put behind them. */
export function whole(messages: readonly Json[]): Json {
  const last = messages.at(-1) ?? {};
  const response = isJson(last["response"]) ? last["response"] : {};
  const output: readonly unknown[] = Array.isArray(response["output"]) ? response["output"] : [];
  const items = new Map(output.flatMap((item) => (isJson(item) ? [[item["id"], item] as const] : [])));
  const missing = saidBy(messages).filter((said) => !repeats(items.get(said.item), said));
  return missing.length === 0 ? last : { ...last, response: { ...response, output: [...output, ...missing.map(itemOf)] } };
}

function repeats(item: Json | undefined, { part, kind, text }: Said): boolean {
  if (item === undefined) return false;
  if (kind === "arguments") return item["arguments"] === text;
  const content = Array.isArray(item["content"]) ? (item["content"][part] as unknown) : undefined;
  return isJson(content) && content[kind] === text;
}

/** An item as far as its pieces tell of it; its other parts are none of its own. */
function itemOf({ item, part, kind, text }: Said): Json {
  if (kind === "arguments") return { id: item, type: "function_call", name: "", arguments: text };
  const parts: Json[] = Array.from({ length: Math.min(part, MAX_PART) }, () => ({}));
  return { id: item, type: "message", role: "assistant", content: [...parts, { type: kind, [kind]: text }] };
}
const MAX_PART = 100;
