import { isJson, type Json } from "#contract";
import { AUDIO, DONE, PIECES, placeOf } from "./events.ts";

/** Place (item and part) -> what guardrails made of it. */
type Changes = ReadonlyMap<string, Json>;

const outputOf = ({ response }: Json): readonly unknown[] =>
  isJson(response) && Array.isArray(response["output"]) ? (response["output"] as readonly unknown[]) : [];
const partsOf = (item: Json): readonly unknown[] => (Array.isArray(item["content"]) ? (item["content"] as readonly unknown[]) : [item]);

function changesOf(before: Json, after: Json): Changes {
  const changes = new Map<string, Json>();
  const left = outputOf(after);
  outputOf(before).forEach((item, index) => {
    const changed = left[index];
    if (!isJson(item) || !isJson(changed)) return;
    const parts = partsOf(changed);
    partsOf(item).forEach((part, at) => {
      const now = parts[at];
      if (isJson(now) && JSON.stringify(now) !== JSON.stringify(part))
        changes.set(placeOf({ item_id: item["id"], content_index: at }), now);
    });
  });
  return changes;
}

/** The events of a response as guardrails changed its texts: the first piece brings the whole of a changed text, and its sound is left out. */
export function rewritten(messages: readonly Json[], before: Json, after: Json): readonly Json[] {
  const changes = changesOf(before, after);
  const told = new Set<string>();
  return messages.flatMap((event) => {
    if (event["type"] === DONE)
      return [{ ...event, response: { ...(event["response"] as Json), output: outputOf(after).slice(0, outputOf(event).length) } }];
    const change = changes.get(placeOf(event));
    if (isJson(event["item"])) return [{ ...event, item: changedItem(event["item"], changes) }];
    return change === undefined ? [event] : changedEvent(event, change, told);
  });
}

function changedEvent(event: Json, change: Json, told: Set<string>): readonly Json[] {
  const type = String(event["type"]);
  if (AUDIO.has(type)) return [];
  if (isJson(event["part"])) return [{ ...event, part: type.endsWith(".done") ? withoutAudio(change) : event["part"] }];
  const kind = PIECES[type.replace(/\.done$/, ".delta")];
  if (kind === undefined) return [event];
  if (type.endsWith(".done")) return [{ ...event, [kind]: change[kind] }];
  const place = placeOf(event);
  if (told.has(place)) return [];
  told.add(place);
  return [{ ...event, delta: change[kind] }];
}
const withoutAudio = ({ audio: _, ...part }: Json): Json => part;

function changedItem(item: Json, changes: Changes): Json {
  const parts = partsOf(item);
  const changed = parts.map((part, at) => changes.get(placeOf({ item_id: item["id"], content_index: at })) ?? part);
  if (!Array.isArray(item["content"])) return isJson(changed[0]) ? changed[0] : item;
  return { ...item, content: changed.map((part) => (isJson(part) ? part : {})) };
}
