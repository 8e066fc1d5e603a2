import { isJson, type Json } from "#contract";
import { list } from "./conversation.ts";
import { at, type Found, type Place } from "./found.ts";
import { readLeaves } from "./leaves.ts";
import { readParts } from "./parts.ts";

/*
 * What a model is told beside the messages: by the descriptions and names of tools, by the format of the answer, by what
 * it is predicted to say, and by who speaks. Nobody says it in a message, so only who looks at all messages sees it.
 */

/** Before all messages. */
export const BEFORE_ALL = -1;
const place = (path: string): Place => at(path, "system", BEFORE_ALL);
/** Types are words of the form, not of the client. */
export const isType = (name: string): boolean => name === "type";

const LEAVES = ["tools", "functions", "response_format"] as const;

export function readInstructions(body: Json, found: Found): void {
  for (const name of LEAVES) if (body[name] !== undefined) readLeaves(body[name], place(name), found, isType);
  if (isJson(body["prediction"])) readParts(body["prediction"]["content"], place("prediction.content"), found);
  list(body["messages"]).forEach((message, index) => {
    if (isJson(message) && typeof message["name"] === "string") readParts(message["name"], place(`messages[${index}].name`), found);
  });
}
