import { isJson, type Json, type StreamEvent } from "#contract";
import { isSameJson, type ToldTexts } from "../content/told.ts";
import { addContent } from "./delta-content.ts";
import { addTools } from "./tools.ts";

/**
 * Some providers send `message` beside each `delta`: the answer so far. What that says beyond the deltas is told too. The
 * events from `from` on are those of the chunk's own delta.
 */
export function addUntold(wire: Json, told: ToldTexts, events: StreamEvent[], from: number): void {
  for (const event of events.slice(from)) remember(event, told);
  if (!isJson(wire["delta"]) || !isJson(wire["message"])) return;
  const again: StreamEvent[] = [];
  addContent(wire["message"], again);
  addTools(wire["message"], [], "", again);
  for (const type of TEXTS) addUntoldText(type, again, told, events);
  for (const event of again) if (event.type === "tool" && !isToldCall(event, told)) events.push({ ...event, index: AGAIN + event.index });
}
const TEXTS = ["text", "refusal", "reasoning"] as const;
/** A call that is told again in other words is one more. */
const AGAIN = 1_000_000;

function remember(event: StreamEvent, told: ToldTexts): void {
  if (event.type === "tool") told.add(`tool ${event.index}`, event.arguments ?? "");
  else if (event.type === "text" || event.type === "refusal" || event.type === "reasoning") told.add(event.type, event.text);
}
function addUntoldText(type: (typeof TEXTS)[number], again: readonly StreamEvent[], told: ToldTexts, events: StreamEvent[]): void {
  const whole = again.map((event) => (event.type === type ? event.text : "")).join("");
  const untold = whole === "" ? "" : told.untold(type, whole);
  if (untold !== "") events.push({ type, text: untold });
}
function isToldCall({ index, arguments: args = "" }: Extract<StreamEvent, { type: "tool" }>, told: ToldTexts): boolean {
  const before = told.at(`tool ${index}`);
  return before.startsWith(args) || isSameJson(args, before);
}
