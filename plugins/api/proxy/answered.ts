import { isJson, type Json, type PageForm } from "#contract";
import { idInName, looksLikeId } from "../content/kept-names.ts";
import { isCalledId } from "./named.ts";

/** What an answer makes. A word is nobody's: who is answered `{"id":"gpt-4o"}` made no such thing. */
export const made = (answer: Json): readonly string[] => [textIn(answer, "id") ?? ""].filter(looksLikeId);

/** Whatever else it names as its own: members called after an id, a `name`, and the same one level deeper (`{"file":{…}}`). */
export const alsoMade = (answer: Json): readonly string[] =>
  [answer, ...Object.values(answer).filter(isJson)].flatMap(idsOf).filter(looksLikeId);
const idsOf = (thing: Json): readonly string[] =>
  Object.entries(thing).flatMap(([name, value]) =>
    typeof value === "string" && (name === "name" || isCalledId(name)) ? [idInName(value)] : [],
  );

/** Every list of things in an answer. */
export const lists = (answer: Json): readonly PageForm[] =>
  Object.entries(answer)
    .filter(([, value]) => Array.isArray(value))
    .map(([member]) => ({ member, idOf }));

/** Its id, or else its name, or else what it says of another id. */
const idOf = (thing: Json): string | undefined => textIn(thing, "id") ?? textIn(thing, "name") ?? idsOf(thing)[0];
const textIn = (thing: Json, member: string): string | undefined => {
  const text = thing[member];
  return typeof text === "string" ? idInName(text) : undefined;
};
