import { isJson, type Json, type StreamEvent } from "#contract";
import { isSameJson, type ToldTexts } from "../content/told.ts";
import { detailsBeside, blocksBeside, restsIn } from "../content/told-beside.ts";
import { object, objects } from "../content/wire.ts";
import { addContent } from "./delta-content.ts";
import { addTools } from "./tools.ts";

/**
 * Some providers send `message` beside each `delta`: the answer so far. What that says beyond the deltas is told too. The
 * events from `from` on are those of the chunk's own delta.
 */
export function addRestOfMessage(wire: Json, deltaTexts: ToldTexts, events: StreamEvent[], from: number): void {
  for (const event of events.slice(from)) remember(event, deltaTexts);
  addBeside(object(wire["delta"] ?? wire["message"]), events);
  const members = restsIn(wire);
  if (members) events.push({ type: "beside", members });
  if (!isJson(wire["delta"]) || !isJson(wire["message"])) return;
  const again: StreamEvent[] = [];
  addContent(wire["message"], again);
  addTools(wire["message"], [], "", again);
  for (const type of TEXTS) addRestOfText(type, again, deltaTexts, events);
  for (const event of again)
    if (event.type === "tool" && !isKnownCall(event, deltaTexts)) events.push({ ...event, index: AGAIN + event.index });
}
/** What a delta says in other members than the ones that are read of every stream. */
function addBeside(delta: Json, events: StreamEvent[]): void {
  for (const { text } of detailsBeside(delta, "")) events.push({ type: "reasoning", text });
  for (const { text } of blocksBeside(delta)) events.push({ type: "text", text });
  for (const citation of objects(delta["annotations"])) events.push({ type: "citation", citation });
}
const TEXTS = ["text", "refusal", "reasoning"] as const;
/** A call that is told again in other words is one more. */
const AGAIN = 1_000_000;

function remember(event: StreamEvent, deltaTexts: ToldTexts): void {
  if (event.type === "tool") deltaTexts.add(`tool ${event.index}`, event.arguments ?? "");
  else if (event.type === "text" || event.type === "refusal" || event.type === "reasoning") deltaTexts.add(event.type, event.text);
}
function addRestOfText(type: (typeof TEXTS)[number], again: readonly StreamEvent[], deltaTexts: ToldTexts, events: StreamEvent[]): void {
  const whole = again.map((event) => (event.type === type ? event.text : "")).join("");
  const rest = whole === "" ? "" : deltaTexts.untold(type, whole);
  if (rest !== "") events.push({ type, text: rest });
}
function isKnownCall({ index, arguments: args = "" }: Extract<StreamEvent, { type: "tool" }>, deltaTexts: ToldTexts): boolean {
  const before = deltaTexts.at(`tool ${index}`);
  return before.startsWith(args) || isSameJson(args, before);
}
