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
/** Types are words of the form, not of the client; what a schema says of a member that is called `type` is no type. */
export const isType = (name: string, value: unknown): boolean => name === "type" && !isJson(value);

/** Where a schema has members whose names the client chose. */
export const NAMED: ReadonlySet<string> = new Set([
  "properties",
  "patternProperties",
  "$defs",
  "definitions",
  "dependentSchemas",
  "dependentRequired",
]);
/** The texts of tools and formats, and the names in their schemas. */
export const readTold = (value: unknown, path: string, found: Found): void => readLeaves(value, place(path), found, isType, NAMED);

/** Members, and members of members, that say what a model is told. */
type Places = readonly (readonly [string, string?])[];
const LEAVES: Places = [["tools"], ["functions"], ["response_format"]];
/** Where another vendor's form has its system text: a member that this form does not have travels on to who reads it. */
export const OTHERS_SYSTEM: Places = [["system"], ["systemInstruction"], ["system_instruction"]];

/** Every text that stands in one of these places. */
export function readTextsAt(body: Json, places: Places, found: Found): void {
  for (const [name, inside] of places) {
    const value = body[name];
    if (inside === undefined) readTold(value, name, found);
    else if (isJson(value)) readTold(value[inside], `${name}.${inside}`, found);
  }
}

export function readInstructions(body: Json, found: Found): void {
  readTextsAt(body, LEAVES, found);
  if (isJson(body["prediction"])) readParts(body["prediction"]["content"], place("prediction.content"), found);
  list(body["messages"]).forEach((message, index) => {
    if (isJson(message) && typeof message["name"] === "string") readParts(message["name"], place(`messages[${index}].name`), found);
  });
}
