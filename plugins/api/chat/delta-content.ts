import type { Json, StreamEvent } from "#contract";
import { object, objects, text } from "../content/wire.ts";

/** What a delta, or a whole message, says beside its calls. */
export function addContent(delta: Json, events: StreamEvent[]): void {
  const thought = text(delta["reasoning_content"]);
  const another = text(delta["reasoning"]);
  if (thought !== undefined) events.push({ type: "reasoning", text: thought });
  if (another !== undefined && another !== thought) events.push({ type: "reasoning", text: another }); // most say it under one name, or the same under both
  const { content } = delta;
  if (Array.isArray(content)) for (const part of objects(content)) addPart(part, events);
  else if (typeof content === "string" && content !== "") events.push({ type: "text", text: content });
  const refusal = text(delta["refusal"]);
  if (refusal !== undefined) events.push({ type: "refusal", text: refusal });
  const spoken = text(object(delta["audio"])["transcript"]);
  if (spoken !== undefined) events.push({ type: "text", text: spoken });
}

/** Mistral's reasoning models send content as parts: a text, whatever its type is called, and `thinking` whose own parts are text. */
function addPart(part: Json, events: StreamEvent[]): void {
  const content = text(part["text"]);
  if (part["type"] !== "thinking" && content !== undefined) events.push({ type: "text", text: content });
  if (part["type"] !== "thinking") return;
  const thought =
    text(part["thinking"]) ??
    objects(part["thinking"])
      .map((inner) => text(inner["text"]) ?? "")
      .join("");
  if (thought !== "") events.push({ type: "reasoning", text: thought });
}
