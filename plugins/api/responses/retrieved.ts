import { type BodyContent, isJson, type Json, type NoJsonAnswer } from "#contract";
import { RESPONSE } from "../content/index.ts";
import { eventsIn, type RunEvent } from "../content/stream-events.ts";
import { list } from "../content/conversation.ts";
import { text } from "../content/wire.ts";

/*
 * A provider's response that is read again, whole or as its events: what it says is judged here too, since one that was
 * made in the background has said nothing to anybody before.
 */

/** The events as the response that the last of them has, and beside it whatever their pieces spell that it does not say. */
const events: NoJsonAnswer = {
  read: async (wire) => bodyOf(await eventsIn(wire)),
  write: async (body, wire) => {
    const type = text(lastOf(await eventsIn(wire))?.data?.type) ?? "response.completed";
    return `event: ${type}\ndata: ${JSON.stringify({ type, response: body })}\n\n`;
  },
};

const lastOf = (all: readonly RunEvent[]): RunEvent | undefined => all.findLast(({ data }) => isJson(data?.["response"]));
function bodyOf(all: readonly RunEvent[]): Json {
  const last = lastOf(all)?.data?.["response"];
  const response = isJson(last) ? last : {};
  const others = notSaid(spelledBy(all), textsIn(response["output"]));
  const spelled = others.map((words) => ({ type: "message", role: "assistant", content: [{ type: "output_text", text: words }] }));
  return { ...response, output: [...list(response["output"]), ...spelled] };
}

/** Texts that are none of what a response says, nor the end of one: whoever reads on has got the beginning before. */
function notSaid(spelled: readonly string[], said: ReadonlySet<string>): readonly string[] {
  let left = MOST_COMPARED;
  const isEnd = (words: string): boolean => {
    left -= said.size + words.length;
    return left > 0 && [...said].some((text) => text.endsWith(words));
  };
  return spelled.filter((words) => !said.has(words) && !isEnd(words));
}
/** Texts and characters: what is not compared any more is judged beside the response. */
const MOST_COMPARED = 1_000_000;

function textsIn(value: unknown, found: Set<string> = new Set()): ReadonlySet<string> {
  if (typeof value === "string") found.add(value);
  else if (typeof value === "object" && value !== null) for (const inside of Object.values(value)) textsIn(inside, found);
  return found;
}

/** What the pieces of each part spell. */
function spelledBy(all: readonly RunEvent[]): readonly string[] {
  const parts = new Map<string, string[]>();
  for (const { data } of all) {
    if (typeof data?.["delta"] !== "string") continue;
    const part = [data["type"], data["item_id"], data["content_index"], data["summary_index"]].join(" ");
    const pieces = parts.get(part);
    if (pieces) pieces.push(data["delta"]);
    else parts.set(part, [data["delta"]]);
  }
  return [...parts.values()].map((pieces) => pieces.join(""));
}

const { input: _, lastInput: __, ...ofAnswers } = RESPONSE;
/** A response, whole. */
export const RETRIEVED: BodyContent = ofAnswers;
/** The same, or its events. */
export const RETRIEVED_IN_EVENTS: BodyContent = { ...ofAnswers, noJson: events };
