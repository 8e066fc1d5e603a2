import { isJson, type Json } from "#contract";
import { isSame } from "../content/told.ts";
import { object, objects } from "../content/wire.ts";
import { isRepeated, itemsIn, nameOf, type Telling, tellingsOf } from "./tellings.ts";

/** What stands behind an answer's own items where guardrails read it: an item, or one made of a single text and the place of that. */
interface Beside {
  readonly item: Json;
  readonly place?: string;
}

export const outputOf = ({ response }: Json): readonly unknown[] =>
  isJson(response) && Array.isArray(response["output"]) ? (response["output"] as readonly unknown[]) : [];

/** `response.done`, which repeats its items. What the events before it say otherwise, a client may read there: it is put behind them. */
export function whole(messages: readonly Json[]): Json {
  const last = messages.at(-1) ?? {};
  const beside = besideItems(messages);
  if (beside.length === 0) return last;
  return { ...last, response: { ...object(last["response"]), output: [...outputOf(last), ...beside.map(({ item }) => item)] } };
}

/** Items, and texts of items, that the last message does not repeat as they were told. */
export function besideItems(messages: readonly Json[]): readonly Beside[] {
  const items = new ItemsById(objects(outputOf(messages.at(-1) ?? {})));
  const before = messages.slice(0, -1);
  const texts = tellingsOf(before).filter((telling) => !items.of(telling.item).some((item) => repeats(item, telling)));
  return [
    ...before.flatMap(itemsIn).flatMap((item) => (items.learns(item) ? [{ item }] : [])),
    ...texts.map((telling) => ({ place: nameOf(telling), item: itemOf(telling) })),
  ];
}

/** An answer may have many. */
class ItemsById {
  private readonly items = new Map<string, Json[]>();
  constructor(items: readonly Json[]) {
    for (const item of items) this.add(item);
  }
  of(id: string): readonly Json[] {
    return this.items.get(id) ?? [];
  }
  /** Keeps an item that says more than others with its id. */
  learns(item: Json): boolean {
    if (isRepeated(item, this.of(String(item["id"])))) return false;
    this.add(item);
    return true;
  }
  private add(item: Json): void {
    const id = String(item["id"]);
    const others = this.items.get(id);
    if (others) others.push(item);
    else this.items.set(id, [item]);
  }
}

function repeats(item: Json, { part, member, text }: Telling): boolean {
  const content: unknown = Array.isArray(item["content"]) ? item["content"][part] : item;
  const again = object(content)[member];
  return typeof again === "string" && isSame(text, again);
}

/** An item as far as a text tells of it. */
function itemOf({ item: id, member, text }: Telling): Json {
  if (member === "arguments") return { id, type: "function_call", name: "", arguments: text };
  return { id, type: "message", role: "assistant", content: [{ type: member, [member]: text }] };
}
